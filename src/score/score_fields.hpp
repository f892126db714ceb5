// SPDX-License-Identifier: Apache-2.0
//
// The one list of all scores: whoever averages, prints or stores them goes through it.

#pragma once

#include <credens/score.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace credens::scoring {

enum class ScoreKind {
  point,         ///< an error of the mean, which a classical and an extended ensemble share
  distribution,  ///< depends on the predicted spread
  truth,         ///< needs noise-free values
};

enum class ScoreFormat { number, percent };

struct ScoreField {
  std::string_view name;   ///< of the member of Scores, and of its key in JSON
  std::string_view title;  ///< of its row in a table
  ScoreKind kind;
  ScoreFormat format;
  std::variant<double Scores::*, std::optional<double> Scores::*> member;

  std::optional<double> value(const Scores& scores) const;
  void set(Scores& scores, double value) const;
};

/// All fields of Scores but `per_output`, in the order of tables.
std::span<const ScoreField> score_fields();

}  // namespace credens::scoring
