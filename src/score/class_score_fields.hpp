// SPDX-License-Identifier: Apache-2.0
//
// The one list of all scores of classes: whoever averages, prints or stores them goes through it.

#pragma once

#include <credens/class_score.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "score/score_fields.hpp"

namespace credens::scoring {

/// The terms that one row adds to the scores, in the order of the rows.
struct ClassRowScore {
  double weight;  ///< times the sum of the row's counts
  double log_loss;
  double brier;
  double entropy;
  double aleatoric;
  double epistemic;
  double doubt;  ///< 1 - largest probability
  std::uint32_t predicted;
  std::uint32_t label;  ///< 0 where rows have counts
};

struct ClassScoreField {
  std::string_view name;   ///< of the member of ClassScores, and of its key in JSON
  std::string_view title;  ///< of its row in a table
  ScoreFormat format;
  std::variant<double ClassScores::*, std::optional<double> ClassScores::*> member;
  double ClassRowScore::*term = nullptr;  ///< whose weighted mean it is; null: made otherwise

  std::optional<double> value(const ClassScores& scores) const {
    return std::visit([&](auto field) -> std::optional<double> { return scores.*field; }, member);
  }
  void set(ClassScores& scores, double value) const {
    std::visit([&](auto field) { scores.*field = value; }, member);
  }
};

/// All fields of ClassScores, in the order of tables.
inline std::span<const ClassScoreField> class_score_fields() {
  using enum ScoreFormat;
  static constexpr ClassScoreField fields[] = {
      {"log_loss", "log loss", number, &ClassScores::log_loss, &ClassRowScore::log_loss},
      {"brier", "Brier score", number, &ClassScores::brier, &ClassRowScore::brier},
      {"accuracy", "accuracy", percent, &ClassScores::accuracy},
      {"balanced_accuracy", "  balanced over the classes", percent, &ClassScores::balanced_accuracy},
      {"auroc", "AUROC", number, &ClassScores::auroc},
      {"ece", "calibration error (ECE)", number, &ClassScores::ece},
      {"classwise_ece", "  of each class, mean", number, &ClassScores::classwise_ece},
      {"aurc", "area under the risk curve (AURC)", number, &ClassScores::aurc},
      {"entropy", "entropy, mean", number, &ClassScores::entropy, &ClassRowScore::entropy},
      {"aleatoric", "  aleatoric", number, &ClassScores::aleatoric, &ClassRowScore::aleatoric},
      {"epistemic", "  epistemic", number, &ClassScores::epistemic, &ClassRowScore::epistemic},
  };
  return fields;
}

}  // namespace credens::scoring
