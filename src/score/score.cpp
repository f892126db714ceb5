// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "math/statistics.hpp"
#include "model/marginal.hpp"
#include "model/weights.hpp"
#include "score/calibration.hpp"
#include "score/density.hpp"
#include "score/interval.hpp"
#include "score/point.hpp"

namespace credens {

namespace {

using scoring::WeightedMean;

/// Row weights divided by the largest, so that no product with a score overflows; 1 each if none are given.
std::vector<double> relative_weights(std::span<const double> weights, std::size_t rows) {
  if (weights.empty()) return std::vector<double>(rows, 1.0);
  const double largest = *std::max_element(weights.begin(), weights.end());
  std::vector<double> relative(weights.begin(), weights.end());
  for (double& weight : relative) weight /= largest;
  return relative;
}

void check(const Predictive& predictive, MatrixView targets, const ScoreOptions& options) {
  base::check_probability(options.level, "level");
  base::require(predictive.rows() > 0, ErrorCode::data, "there are no rows to score, expected at least 1");
  base::check_shape(targets, predictive.rows(), predictive.outputs(), "targets");
  base::check_finite(targets, "targets");
  if (!options.weights.empty()) model::check_weights(options.weights, predictive.rows(), "weights");
  if (!options.truth.empty()) {
    base::check_shape(options.truth, predictive.rows(), predictive.outputs(), "truth");
    base::check_finite(options.truth, "truth");
  }
  if (!options.target_std.empty()) {
    const MatrixView target_std(options.target_std.data(), 1, options.target_std.size());
    base::check_shape(target_std, 1, predictive.outputs(), "target_std");
    base::check_positive(target_std, "target_std");
  }
}

/// The scores of one output, row by row.
class OutputTally {
 public:
  explicit OutputTally(double level) : total_(level), function_(level), truth_(level) {}

  void add_moments(const model::Moments& moments, double target, double weight) {
    error_.add(target - moments.mean, weight);
    nll_gaussian_.add(-math::normal_log_density(target, moments.mean, moments.total()), weight);
    variance_.add(moments.total(), weight);
    ratio_.add(moments.epistemic() / moments.aleatoric, weight);
    ratios_.push_back(moments.epistemic() / moments.aleatoric);
  }

  void add_mixture(const math::MixtureView& mixture, double target, double weight) {
    nll_.add(-math::mixture_log_density(mixture, target), weight);
    crps_.add(math::mixture_crps(mixture, target), weight);
    calibration_.add(math::mixture_cdf(mixture, target), weight);
  }

  void add_interval(double target, double lower, double upper, double weight) {
    total_.add(target, lower, upper, weight);
  }

  void add_function_interval(double target, double lower, double upper, double weight) {
    function_.add(target, lower, upper, weight);
  }

  void add_truth(double truth, double mean, double lower, double upper, double weight) {
    truth_error_.add(truth - mean, weight);
    truth_.add(truth, lower, upper, weight);
  }

  Scores scores(std::span<const double> weights) const {
    return {.rmse = error_.rmse(),
            .mae = error_.mae(),
            .epistemic_coverage = function_.coverage(),
            .total_coverage = total_.coverage(),
            .epistemic_aleatoric_ratio = ratio_.value(),
            .epistemic_aleatoric_ratio_median = math::weighted_median(ratios_, weights),
            .nll = nll_.value(),
            .nll_gaussian = nll_gaussian_.value(),
            .crps = crps_.value(),
            .interval_width = total_.width(),
            .interval_score = total_.score(),
            .calibration_error = calibration_.error(),
            .sharpness = std::sqrt(variance_.value())};
  }

  double function_coverage() const { return truth_.coverage(); }
  double function_rmse() const { return truth_error_.rmse(); }

 private:
  scoring::PointError error_;
  scoring::PointError truth_error_;
  scoring::IntervalTally total_;
  scoring::IntervalTally function_;
  scoring::IntervalTally truth_;
  scoring::Calibration calibration_;
  WeightedMean nll_;
  WeightedMean nll_gaussian_;
  WeightedMean crps_;
  WeightedMean variance_;
  WeightedMean ratio_;
  std::vector<double> ratios_;
};

/// What all outputs are scored with.
struct Task {
  const Predictive& predictive;
  MatrixView targets;
  const ScoreOptions& options;
  std::vector<double> weights;
  Interval interval;
  Interval function_interval;
};

Scores score_output(const Task& task, std::size_t k) {
  OutputTally tally(task.options.level);
  model::MarginalReader marginals(task.predictive.components());
  const bool has_truth = !task.options.truth.empty();
  for (std::size_t row = 0; row < task.predictive.rows(); ++row) {
    const double weight = task.weights[row];
    const double target = task.targets(row, k);
    const double lower = task.function_interval.lower(row, k);
    const double upper = task.function_interval.upper(row, k);
    const model::Moments moments = model::moments_at(task.predictive.components(), row, k);
    tally.add_moments(moments, target, weight);
    tally.add_mixture(marginals.total(row, k), target, weight);
    tally.add_interval(target, task.interval.lower(row, k), task.interval.upper(row, k), weight);
    tally.add_function_interval(target, lower, upper, weight);
    if (has_truth) tally.add_truth(task.options.truth(row, k), moments.mean, lower, upper, weight);
  }
  Scores scores = tally.scores(task.weights);
  if (!task.options.target_std.empty()) scores.rmse_standardised = scores.rmse / task.options.target_std[k];
  if (has_truth) {
    scores.function_coverage = tally.function_coverage();
    scores.function_rmse = tally.function_rmse();
  }
  return scores;
}

template <class Field>
double mean_of(const std::vector<Scores>& outputs, const Field& field) {
  double sum = 0;
  for (const Scores& scores : outputs) sum += field(scores);
  return sum / static_cast<double>(outputs.size());
}

/// The mean of each field over the outputs.
Scores mean_over_outputs(const std::vector<Scores>& outputs) {
  Scores mean;
  for (double Scores::*field :
       {&Scores::rmse, &Scores::mae, &Scores::epistemic_coverage, &Scores::total_coverage,
        &Scores::epistemic_aleatoric_ratio, &Scores::epistemic_aleatoric_ratio_median, &Scores::crps,
        &Scores::interval_width, &Scores::interval_score, &Scores::calibration_error, &Scores::sharpness}) {
    mean.*field = mean_of(outputs, [field](const Scores& scores) { return scores.*field; });
  }
  for (std::optional<double> Scores::*field :
       {&Scores::rmse_standardised, &Scores::function_coverage, &Scores::function_rmse}) {
    if (outputs.front().*field) {
      mean.*field = mean_of(outputs, [field](const Scores& scores) { return *(scores.*field); });
    }
  }
  return mean;
}

void set_joint_densities(const Task& task, Scores& scores) {
  const std::vector<double> exact = task.predictive.log_density(task.targets);
  WeightedMean nll;
  WeightedMean nll_gaussian;
  for (std::size_t row = 0; row < exact.size(); ++row) {
    const double gaussian = scoring::gaussian_log_density(task.predictive, row, task.targets.row(row));
    nll.add(-exact[row], task.weights[row]);
    nll_gaussian.add(-gaussian, task.weights[row]);
  }
  scores.nll = nll.value();
  scores.nll_gaussian = nll_gaussian.value();
}

}  // namespace

Scores score(const Predictive& predictive, MatrixView targets, const ScoreOptions& options) {
  check(predictive, targets, options);
  const Task task{.predictive = predictive,
                  .targets = targets,
                  .options = options,
                  .weights = relative_weights(options.weights, predictive.rows()),
                  .interval = predictive.interval(options.level, options.interval),
                  .function_interval = predictive.function_interval(options.level, options.interval)};
  std::vector<Scores> outputs;
  for (std::size_t k = 0; k < predictive.outputs(); ++k) outputs.push_back(score_output(task, k));
  if (outputs.size() == 1) return outputs.front();

  Scores scores = mean_over_outputs(outputs);
  set_joint_densities(task, scores);
  scores.per_output = std::move(outputs);
  return scores;
}

}  // namespace credens
