// SPDX-License-Identifier: Apache-2.0

#include "score/score_fields.hpp"

namespace credens::scoring {

std::optional<double> ScoreField::value(const Scores& scores) const {
  return std::visit([&](auto field) -> std::optional<double> { return scores.*field; }, member);
}

void ScoreField::set(Scores& scores, double value) const {
  std::visit([&](auto field) { scores.*field = value; }, member);
}

std::span<const ScoreField> score_fields() {
  using enum ScoreKind;
  using enum ScoreFormat;
  static constexpr ScoreField fields[] = {
      {"rmse", "root mean square error", point, number, &Scores::rmse},
      {"rmse_standardised", "  in units of the training targets' std", point, number, &Scores::rmse_standardised},
      {"mae", "mean absolute error", point, number, &Scores::mae},
      {"total_coverage", "coverage, total", distribution, percent, &Scores::total_coverage},
      {"epistemic_coverage", "coverage, epistemic only", distribution, percent, &Scores::epistemic_coverage},
      {"epistemic_aleatoric_ratio", "epistemic / aleatoric, mean", distribution, number,
       &Scores::epistemic_aleatoric_ratio},
      {"epistemic_aleatoric_ratio_median", "epistemic / aleatoric, median", distribution, number,
       &Scores::epistemic_aleatoric_ratio_median},
      {"nll", "negative log likelihood", distribution, number, &Scores::nll},
      {"nll_gaussian", "  of the matched Gaussian", distribution, number, &Scores::nll_gaussian},
      {"crps", "CRPS", distribution, number, &Scores::crps},
      {"interval_width", "interval width", distribution, number, &Scores::interval_width},
      {"interval_score", "interval score", distribution, number, &Scores::interval_score},
      {"calibration_error", "calibration error", distribution, number, &Scores::calibration_error},
      {"sharpness", "sharpness", distribution, number, &Scores::sharpness},
      {"function_coverage", "coverage of the truth", truth, percent, &Scores::function_coverage},
      {"function_rmse", "root mean square error to the truth", truth, number, &Scores::function_rmse},
  };
  return fields;
}

}  // namespace credens::scoring
