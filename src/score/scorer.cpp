// SPDX-License-Identifier: Apache-2.0

#include "score/scorer.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "math/linalg.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "model/marginal.hpp"
#include "model/weights.hpp"

namespace credens::scoring {

/// The scores of one output, row by row.
class OutputTally {
 public:
  explicit OutputTally(std::size_t most_held) : means_(score_fields().size()), median_ratio_(most_held) {}

  void add(const RowScore& row, bool has_truth) {
    for (std::size_t i = 0; i < means_.size(); ++i) {
      const ScoreField& field = score_fields()[i];
      if (is_mean(field, has_truth)) means_[i].add(row.*field.term, row.weight);
    }
    median_ratio_.add(row.ratio, row.weight);
    pit_.add(row.pit, row.weight);
  }

  Scores scores(std::optional<double> target_std, bool has_truth) const {
    Scores scores;
    for (std::size_t i = 0; i < means_.size(); ++i) {
      const ScoreField& field = score_fields()[i];
      if (is_mean(field, has_truth)) field.set(scores, means_[i].value());
    }
    scores.rmse = std::sqrt(scores.rmse);  // these three are means of squares so far
    scores.sharpness = std::sqrt(scores.sharpness);
    if (has_truth) scores.function_rmse = std::sqrt(*scores.function_rmse);
    if (target_std) scores.rmse_standardised = scores.rmse / *target_std;
    scores.epistemic_aleatoric_ratio_median = median_ratio_.value();
    scores.calibration_error = pit_.error();
    return scores;
  }

 private:
  static bool is_mean(const ScoreField& field, bool has_truth) {
    return field.term != nullptr && (has_truth || field.kind != ScoreKind::truth);
  }

  std::vector<WeightedMean> means_;  ///< of the fields' terms
  RunningMedian median_ratio_;
  PitDistribution pit_;
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

double square(double value) {
  return value * value;
}

double is_between(double lower, double value, double upper) {
  return lower <= value && value <= upper ? 1 : 0;
}

std::vector<RowScore> row_scores(const Observations& rows, std::span<const double> weights,
                                 const IntervalOptions& interval) {
  const Interval total = rows.predictive.interval(interval.level, interval.kind);
  const Interval function = rows.predictive.function_interval(interval.level, interval.kind);
  const double penalty = 2 / (1 - interval.level);  // 2 / alpha (Gneiting and Raftery 2007)
  model::MarginalReader marginals(rows.predictive.components());
  std::vector<RowScore> scores;
  for (std::size_t k = 0; k < rows.targets.cols(); ++k) {
    for (std::size_t row = 0; row < weights.size(); ++row) {
      const double target = rows.targets(row, k);
      const double truth = rows.truth.empty() ? 0 : rows.truth(row, k);
      const model::Moments moments = model::moments_at(rows.predictive.components(), row, k);
      const math::MixtureView mixture = marginals.gather(row, k);
      const double lower = total.lower(row, k);
      const double upper = total.upper(row, k);
      const double outside = std::max({lower - target, target - upper, 0.0});
      scores.push_back({.weight = weights[row],
                        .squared_error = square(target - moments.mean),
                        .absolute_error = std::abs(target - moments.mean),
                        .is_inside = is_between(lower, target, upper),
                        .is_inside_function = is_between(function.lower(row, k), target, function.upper(row, k)),
                        .ratio = moments.epistemic() / moments.aleatoric,
                        .nll = -math::mixture_log_density(mixture, target),
                        .nll_gaussian = -math::normal_log_density(target, moments.mean, moments.total()),
                        .crps = math::mixture_crps(mixture, target),
                        .width = upper - lower,
                        .interval_score = upper - lower + penalty * outside,
                        .pit = math::mixture_cdf(mixture, target),
                        .variance = moments.total(),
                        .truth_inside_function = is_between(function.lower(row, k), truth, function.upper(row, k)),
                        .squared_truth_error = square(truth - moments.mean)});
    }
  }
  return scores;
}

/// |x|^2 for L x = z with lower triangular L.
double squared_solution(const Matrix& lower, std::vector<double> z) {
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) z[i] -= lower(i, j) * z[j];
    z[i] /= lower(i, i);
    sum += z[i] * z[i];
  }
  return sum;
}

/// log N(y; m, C) with the mean m and the total covariance C [q x q] of a row, jointly over its outputs, of the
/// Gaussian with the mixture's moments. Sentences count rows from `first_row` on.
///
/// C is D + B: D diagonal, noise and the members' own widths; B between members. With everything divided by the roots
/// of D it becomes I + B', positive definite also in rounded arithmetic unless members differ by some 1e8 standard
/// deviations.
double gaussian_log_density(const Predictive& predictive, std::size_t row, std::span<const double> values,
                            std::size_t first_row) {
  const MixtureComponents& components = predictive.components();
  const std::size_t q = values.size();
  std::vector<double> root(q);
  std::vector<double> z(q);
  Matrix scaled(q, q);
  double log_density = -0.5 * static_cast<double>(q) * math::log_two_pi;
  for (std::size_t a = 0; a < q; ++a) {
    const model::Moments moments = model::moments_at(components, row, a);
    root[a] = std::sqrt(moments.aleatoric + moments.within + moments.slopes);
    z[a] = (values[a] - moments.mean) / root[a];
    log_density -= std::log(root[a]);
    for (std::size_t b = 0; b <= a; ++b) {
      scaled(a, b) = scaled(b, a) = model::between_covariance(components, row, a, b) / (root[a] * root[b]);
    }
    scaled(a, a) += 1;
  }
  const auto lower = math::cholesky(scaled);
  base::require(lower.has_value(), ErrorCode::numerical,
                "row {}: the total covariance of the outputs is not positive definite, its members differ by more than "
                "double precision can hold",
                first_row + row);
  return log_density - 0.5 * (math::log_determinant(*lower) + squared_solution(*lower, std::move(z)));
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
  outputs_.assign(outputs, OutputTally(most_held / std::max<std::size_t>(1, outputs)));
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
  base::append_counted(bytes, block.outputs);
  base::append_counted(bytes, block.nll);
  base::append_counted(bytes, block.nll_gaussian);
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
  model::RowWeights weights;
  weights.add(options.weights);
  scoring::Scorer scorer(predictive.outputs(), {.level = options.level, .kind = options.interval}, options.target_std,
                         weights.largest());
  scorer.add({.predictive = predictive, .targets = targets, .weights = options.weights, .truth = options.truth});
  return scorer.scores();
}

}  // namespace credens
