// SPDX-License-Identifier: Apache-2.0
//
// Scores that new rows may expect of a classification: those of held-out rows, each predicted by the members that were
// not trained on it, corrected for the members that a new row has besides (learn/expectation.hpp).

#pragma once

#include <credens/expectation.hpp>

#include <optional>

#include "learn/held_out.hpp"
#include "model/ensemble_state.hpp"

namespace credens::learn {

/// `wide` is the finished ensemble, `rows.held` has the flags of its members. None where no row is held out.
std::optional<ClassExpectation> class_expectation_of(const model::EnsembleState& wide, const JudgingRows& rows,
                                                     int threads);

}  // namespace credens::learn
