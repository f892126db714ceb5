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

/// The terms that one row of one output adds to the scores, in the order of the rows.
struct RowScore {
  double weight;
  double squared_error;
  double absolute_error;
  double is_inside;           ///< 1 where lower <= target <= upper, else 0
  double is_inside_function;  ///< likewise, of the interval for the regression function
  double ratio;               ///< epistemic by aleatoric variance
  double nll;
  double nll_gaussian;
  double crps;
  double width;  ///< upper - lower
  double interval_score;
  double pit;
  double variance;               ///< total
  double truth_inside_function;  ///< as is_inside_function, of the truth; 0 where there is none
  double squared_truth_error;    ///< 0 where there is no truth
};

struct ScoreField {
  std::string_view name;   ///< of the member of Scores, and of its key in JSON
  std::string_view title;  ///< of its row in a table
  ScoreKind kind;
  ScoreFormat format;
  std::variant<double Scores::*, std::optional<double> Scores::*> member;
  double RowScore::*term = nullptr;  ///< whose weighted mean it is, or the root of that; null: made otherwise

  std::optional<double> value(const Scores& scores) const {
    return std::visit([&](auto field) -> std::optional<double> { return scores.*field; }, member);
  }
  void set(Scores& scores, double value) const {
    std::visit([&](auto field) { scores.*field = value; }, member);
  }
};

/// All fields of Scores but `per_output`, in the order of tables.
inline std::span<const ScoreField> score_fields() {
  using enum ScoreKind;
  using enum ScoreFormat;
  static constexpr ScoreField fields[] = {
      {"rmse", "root mean square error", point, number, &Scores::rmse, &RowScore::squared_error},
      {"rmse_standardised", "  in units of the training targets' std", point, number, &Scores::rmse_standardised},
      {"mae", "mean absolute error", point, number, &Scores::mae, &RowScore::absolute_error},
      {"total_coverage", "coverage, total", distribution, percent, &Scores::total_coverage, &RowScore::is_inside},
      {"epistemic_coverage", "coverage, epistemic only", distribution, percent, &Scores::epistemic_coverage,
       &RowScore::is_inside_function},
      {"epistemic_aleatoric_ratio", "epistemic / aleatoric variance, mean", distribution, number,
       &Scores::epistemic_aleatoric_ratio, &RowScore::ratio},
      {"epistemic_aleatoric_ratio_median", "epistemic / aleatoric variance, median", distribution, number,
       &Scores::epistemic_aleatoric_ratio_median},
      {"nll", "negative log likelihood, nats per row", distribution, number, &Scores::nll, &RowScore::nll},
      {"nll_gaussian", "  of the matched Gaussian", distribution, number, &Scores::nll_gaussian,
       &RowScore::nll_gaussian},
      {"crps", "CRPS", distribution, number, &Scores::crps, &RowScore::crps},
      {"interval_width", "interval width", distribution, number, &Scores::interval_width, &RowScore::width},
      {"interval_score", "interval score", distribution, number, &Scores::interval_score, &RowScore::interval_score},
      {"calibration_error", "calibration error", distribution, number, &Scores::calibration_error},
      {"sharpness", "sharpness", distribution, number, &Scores::sharpness, &RowScore::variance},
      {"function_coverage", "coverage of the truth", truth, percent, &Scores::function_coverage,
       &RowScore::truth_inside_function},
      {"function_rmse", "root mean square error to the truth", truth, number, &Scores::function_rmse,
       &RowScore::squared_truth_error},
  };
  return fields;
}

}  // namespace credens::scoring
