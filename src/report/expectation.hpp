// SPDX-License-Identifier: Apache-2.0
//
// Scores that new rows may expect of a model, for people and for programs.

#pragma once

#include <credens/ensemble.hpp>

#include <string>

#include "report/table.hpp"

namespace credens::report {

/// "2.31 +- 0.12": two digits of the standard error, and the value as far as they go.
std::string estimate_text(const Estimate& estimate);

/// One column per output, at most 6. The ensemble has an expectation.
Table expectation_table(const Ensemble& ensemble);

/// The reason why an ensemble has no expectation, as one line.
std::string no_expectation(const Ensemble& ensemble);

/// The table or the reason, each line ended.
std::string expectation_text(const Ensemble& ensemble);

/// As in the model file, with the names of the outputs; null without an expectation.
Json expectation_json(const Ensemble& ensemble);

}  // namespace credens::report
