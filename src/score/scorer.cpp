// SPDX-License-Identifier: Apache-2.0

#include "score/scorer.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "model/marginal.hpp"
#include "score/density.hpp"
#include "score/score_fields.hpp"

namespace credens::scoring {

/// The scores of one output, row by row.
class OutputTally {
 public:
  OutputTally(double level, std::size_t most_held)
      : total_(level), function_(level), truth_(level), median_ratio_(most_held) {}

  void add(const RowScore& row, bool has_truth) {
    const double weight = row.weight;
    error_.add(row.target - row.mean, weight);
    nll_gaussian_.add(row.nll_gaussian, weight);
    variance_.add(row.variance, weight);
    ratio_.add(row.ratio, weight);
    median_ratio_.add(row.ratio, weight);
    nll_.add(row.nll, weight);
    crps_.add(row.crps, weight);
    pit_.add(row.pit, weight);
    total_.add(row.target, row.lower, row.upper, weight);
    function_.add(row.target, row.function_lower, row.function_upper, weight);
    if (!has_truth) return;
    truth_error_.add(row.truth - row.mean, weight);
    truth_.add(row.truth, row.function_lower, row.function_upper, weight);
  }

  Scores scores(std::optional<double> target_std, bool has_truth) const {
    const auto if_truth = [&](double value) { return has_truth ? std::optional(value) : std::nullopt; };
    return {.rmse = error_.rmse(),
            .rmse_standardised = target_std ? std::optional(error_.rmse() / *target_std) : std::nullopt,
            .mae = error_.mae(),
            .epistemic_coverage = function_.coverage(),
            .total_coverage = total_.coverage(),
            .epistemic_aleatoric_ratio = ratio_.value(),
            .epistemic_aleatoric_ratio_median = median_ratio_.value(),
            .nll = nll_.value(),
            .nll_gaussian = nll_gaussian_.value(),
            .crps = crps_.value(),
            .interval_width = total_.width(),
            .interval_score = total_.score(),
            .calibration_error = pit_.error(),
            .sharpness = std::sqrt(variance_.value()),
            .function_coverage = if_truth(truth_.coverage()),
            .function_rmse = if_truth(truth_error_.rmse())};
  }

 private:
  PointError error_;
  PointError truth_error_;
  IntervalTally total_;
  IntervalTally function_;
  IntervalTally truth_;
  PitDistribution pit_;
  WeightedMean nll_;
  WeightedMean nll_gaussian_;
  WeightedMean crps_;
  WeightedMean variance_;
  WeightedMean ratio_;
  RunningMedian median_ratio_;
};

namespace {

/// Most ratios held for an exact median, over all outputs.
constexpr std::size_t most_held = std::size_t{1} << 20;

/// The mean of each score over the outputs.
Scores mean_over_outputs(const std::vector<Scores>& outputs) {
  Scores mean;
  for (const ScoreField& field : score_fields()) {
    if (!field.value(outputs.front())) continue;
    double sum = 0;
    for (const Scores& scores : outputs) sum += *field.value(scores);
    field.set(mean, sum / static_cast<double>(outputs.size()));
  }
  return mean;
}

std::vector<double> relative_weights(const Observations& rows, double largest) {
  if (rows.weights.empty()) return std::vector<double>(rows.predictive.rows(), 1.0);
  std::vector<double> relative(rows.weights.begin(), rows.weights.end());
  for (double& weight : relative) weight /= largest;
  return relative;
}

std::vector<RowScore> row_scores(const Observations& rows, std::span<const double> weights,
                                 const IntervalOptions& interval) {
  const Interval total = rows.predictive.interval(interval.level, interval.kind);
  const Interval function = rows.predictive.function_interval(interval.level, interval.kind);
  model::MarginalReader marginals(rows.predictive.components());
  std::vector<RowScore> scores;
  for (std::size_t k = 0; k < rows.targets.cols(); ++k) {
    for (std::size_t row = 0; row < weights.size(); ++row) {
      const double target = rows.targets(row, k);
      const model::Moments moments = model::moments_at(rows.predictive.components(), row, k);
      const math::MixtureView mixture = marginals.total(row, k);
      scores.push_back({.weight = weights[row],
                        .target = target,
                        .mean = moments.mean,
                        .variance = moments.total(),
                        .ratio = moments.epistemic() / moments.aleatoric,
                        .nll = -math::mixture_log_density(mixture, target),
                        .nll_gaussian = -math::normal_log_density(target, moments.mean, moments.total()),
                        .crps = math::mixture_crps(mixture, target),
                        .pit = math::mixture_cdf(mixture, target),
                        .lower = total.lower(row, k),
                        .upper = total.upper(row, k),
                        .function_lower = function.lower(row, k),
                        .function_upper = function.upper(row, k),
                        .truth = rows.truth.empty() ? 0 : rows.truth(row, k)});
    }
  }
  return scores;
}

template <class T>
void append_counted(const std::vector<T>& values, std::string& bytes) {
  base::append_value(bytes, values.size());
  base::append_values(bytes, std::span<const T>(values));
}

}  // namespace

Scorer::Scorer(std::size_t outputs, const IntervalOptions& interval, std::span<const double> target_std,
               double largest_weight)
    : interval_(interval), target_std_(target_std.begin(), target_std.end()), largest_weight_(largest_weight) {
  base::check_probability(interval.level, "level");
  if (!target_std_.empty()) {
    const MatrixView view(target_std_.data(), 1, target_std_.size());
    base::check_shape(view, 1, outputs, "target_std");
    base::check_positive(view, "target_std");
  }
  outputs_.assign(outputs, OutputTally(interval.level, most_held / std::max<std::size_t>(1, outputs)));
}

Scorer::~Scorer() = default;

void Scorer::check(const Observations& rows) const {
  const std::size_t count = rows.predictive.rows();
  base::check_shape(rows.targets, count, outputs_.size(), "targets");
  base::check_finite(rows.targets, "targets");
  base::require(rows.weights.empty() || rows.weights.size() == count, ErrorCode::data,
                "weights has {} values, expected {}", rows.weights.size(), count);
  if (rows.truth.empty()) return;
  base::check_shape(rows.truth, count, outputs_.size(), "truth");
  base::check_finite(rows.truth, "truth");
}

BlockScores Scorer::score(const Observations& rows) const {
  check(rows);
  const std::vector<double> weights = relative_weights(rows, largest_weight_);
  BlockScores block{
      .rows = weights.size(), .has_truth = !rows.truth.empty(), .outputs = row_scores(rows, weights, interval_)};
  if (outputs_.size() == 1) return block;
  for (const double log_density : rows.predictive.log_density(rows.targets)) block.nll.push_back(-log_density);
  for (std::size_t row = 0; row < block.rows; ++row) {
    block.nll_gaussian.push_back(-gaussian_log_density(rows.predictive, row, rows.targets.row(row), rows_));
  }
  return block;
}

void Scorer::add(const BlockScores& block) {
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const auto of_output = std::span(block.outputs).subspan(k * block.rows, block.rows);
    for (const RowScore& row : of_output) outputs_[k].add(row, block.has_truth);
  }
  for (std::size_t row = 0; row < block.nll.size(); ++row) {
    nll_.add(block.nll[row], block.outputs[row].weight);
    nll_gaussian_.add(block.nll_gaussian[row], block.outputs[row].weight);
  }
  has_truth_ = has_truth_ || block.has_truth;
  rows_ += block.rows;
}

void append(const BlockScores& block, std::string& bytes) {
  base::append_value(bytes, block.rows);
  base::append_value(bytes, block.has_truth);
  append_counted(block.outputs, bytes);
  append_counted(block.nll, bytes);
  append_counted(block.nll_gaussian, bytes);
}

BlockScores read_block_scores(base::ByteReader& reader) {
  BlockScores block;
  block.rows = reader.value<std::size_t>();
  block.has_truth = reader.value<bool>();
  block.outputs = reader.counted<RowScore>();
  block.nll = reader.counted<double>();
  block.nll_gaussian = reader.counted<double>();
  return block;
}

Scores Scorer::scores() const {
  base::require(rows_ > 0, ErrorCode::data, "there are no rows to score, expected at least 1");
  std::vector<Scores> outputs;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    outputs.push_back(
        outputs_[k].scores(target_std_.empty() ? std::nullopt : std::optional(target_std_[k]), has_truth_));
  }
  if (outputs.size() == 1) return outputs.front();
  Scores scores = mean_over_outputs(outputs);
  scores.nll = nll_.value();
  scores.nll_gaussian = nll_gaussian_.value();
  scores.per_output = std::move(outputs);
  return scores;
}

}  // namespace credens::scoring

namespace credens {

Scores score(const Predictive& predictive, MatrixView targets, const ScoreOptions& options) {
  scoring::RowWeights weights;
  weights.add(options.weights);
  scoring::Scorer scorer(predictive.outputs(), {.level = options.level, .kind = options.interval}, options.target_std,
                         weights.largest());
  scorer.add({.predictive = predictive, .targets = targets, .weights = options.weights, .truth = options.truth});
  return scorer.scores();
}

}  // namespace credens
