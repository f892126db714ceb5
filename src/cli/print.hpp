// SPDX-License-Identifier: Apache-2.0
//
// Results go to standard output, everything else to standard error.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/model_summary.hpp"

namespace credens::cli {

using report::Json;
using report::Lines;

/// Standard output, at once; throws io where it cannot be written.
void print(std::string_view text);
void print_json(const Json& document);
void print_lines(const Lines& lines);  ///< values aligned

/// From here on this process prints nothing: another one speaks for it.
void be_silent();

/// A line on standard error. Where that is closed there is nobody left to tell.
void print_error(std::string_view line);

/// Prints what is to be said of a table that was opened, or of its rows; each sentence once.
void print_warnings(const std::vector<std::string>& sentences);

/// Prints the decisions of the recipe with their reasons, if there are any.
void print_decisions(const model::EnsembleState& state);

/// A line where some of the rows that were scored are rows of training.
void print_training_warning(const std::optional<double>& training_share);

struct SummaryOptions {
  bool json = false;
  bool all_decisions = false;           ///< with their reasons; otherwise the configurations of members
  std::size_t rows_without_target = 0;  ///< of those that were read
  Lines more_lines = {};
  std::vector<std::pair<std::string, double>> more_numbers = {};  ///< of the document
};

/// Prints what new rows may expect, the model and how it was made, or all that as a document; nothing where standard
/// output took the model itself.
void print_summary(const Ensemble& ensemble, const std::string& written_to, const SummaryOptions& options);

}  // namespace credens::cli
