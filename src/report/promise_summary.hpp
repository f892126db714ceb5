// SPDX-License-Identifier: Apache-2.0
//
// The promise of calibration rows in words, as a table and as JSON.

#pragma once

#include <credens/ensemble.hpp>

#include <string>

#include "report/table.hpp"

namespace credens::report {

/// Group and output by group and output: rows, promised probability, law of the realised coverage, and what the model's
/// own intervals held. The ensemble has a promise.
Table promise_table(const Ensemble& ensemble, double level);
Json promise_json(const Ensemble& ensemble, double level);

/// The meaning of the table for whoever uses the intervals.
std::string promise_sentences(const Ensemble& ensemble, double level);

/// Rows and groups, for `inspect`.
Json promise_groups_json(const Promise& promise);

/// `200 calibration rows in 3 groups by lab`
std::string promise_line(const Promise& promise);

}  // namespace credens::report
