// SPDX-License-Identifier: Apache-2.0
//
// Suggested measurements for people and for programs.

#pragma once

#include <credens/suggest.hpp>

#include <string>
#include <vector>

#include "model/ensemble_state.hpp"
#include "report/table.hpp"

namespace credens::report {

/// A suggestion with the names of its rows.
struct SuggestionText {
  const Suggestion& suggestion;
  const SuggestOptions& options;
  const model::EnsembleState& state;
  std::vector<std::string> rows;  ///< how each suggested row is called
  std::string row_heading;        ///< and what these names are
  std::string at;                 ///< where ignorance counts: "the rows of pool.csv"
  std::size_t at_rows = 0;        ///< of how many the suggestion took `at`
};

std::string suggestion_text(const SuggestionText& text);
Json suggestion_json(const SuggestionText& text);

}  // namespace credens::report
