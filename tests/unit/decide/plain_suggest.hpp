// SPDX-License-Identifier: Apache-2.0
//
// Greedy suggestions in plain loops: the joint covariance of all rows in full, conditioned on one row after the other.

#pragma once

#include <credens/suggest.hpp>

#include <vector>

namespace credens::decide {

struct PlainSuggestion {
  std::vector<std::size_t> rows = {};
  std::vector<double> gains = {};
  std::vector<double> start = {};                   ///< [q]
  std::vector<std::vector<double>> ignorance = {};  ///< after each row, [q]
};

/// For Goal::learn.
PlainSuggestion plain_suggest(const Ensemble& ensemble, const Matrix& pool, const SuggestOptions& options);

}  // namespace credens::decide
