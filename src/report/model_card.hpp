// SPDX-License-Identifier: Apache-2.0
//
// Model cards: a README in Markdown whose front matter model hubs read.

#pragma once

#include <credens/ensemble.hpp>

#include <optional>
#include <string>

#include "report/class_comparison.hpp"
#include "report/comparison.hpp"

namespace credens::report {

/// Facts of a card that the model itself does not know.
struct CardFacts {
  std::string name = {};                        ///< of the model; empty: that of its file
  std::string model_file = {};                  ///< a path, of which the card shows the file's name alone
  std::string data_file = {};                   ///< likewise; of the rows that the scores are of
  std::optional<Comparison> comparison = {};    ///< scores at these rows; at most one of the two is there
  std::optional<ClassComparison> classes = {};  ///< likewise, of a model that predicts classes
  double level = 0.95;                          ///< of the intervals in the comparison
};

/// Columns with kinds and units, scores with errors, limits and how the model was made. Names of columns, words and files
/// stand as they are, whatever signs of Markdown they hold.
std::string model_card(const Ensemble& ensemble, const CardFacts& facts);

}  // namespace credens::report
