// SPDX-License-Identifier: Apache-2.0

#include "score/class_scorer.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "model/weights.hpp"
#include "score/class_checks.hpp"

namespace credens::scoring {

namespace {

constexpr double least_probability = 1e-15;
constexpr std::size_t most_ranked = std::size_t{1} << 20;

/// ROC curves that are needed: one serves two classes.
std::size_t ranked_classes(std::size_t classes) {
  return classes == 2 ? 1 : classes;
}

/// p / (1 - p): rounded odds are as fine near p = 1 as near p = 0.
double odds(double probability) {
  return probability / (1 - probability);
}

double log_loss_of(double probability) {
  return -std::log(std::max(probability, least_probability));
}

/// Row of targets as shares of the classes: counts divided by their sum, or 1 for the label.
double share_of_class(std::span<const double> targets, double sum, std::size_t k) {
  if (targets.size() > 1) return targets[k] / sum;
  return targets.front() == static_cast<double>(k) ? 1 : 0;
}

void add_losses(std::span<const double> probability, std::span<const double> targets, ClassRowScore& row) {
  const double sum = sum_of(targets);
  for (std::size_t k = 0; k < probability.size(); ++k) {
    const double share = share_of_class(targets, sum, k);
    const double gap = probability[k] - share;
    if (share > 0) row.log_loss += share * log_loss_of(probability[k]);
    row.brier += gap * gap;
  }
}

ClassRowScore class_row_score(const ClassObservations& rows, std::size_t row, double weight) {
  const ClassPredictive& predictive = rows.predictive;
  const std::span<const double> targets = rows.targets.row(row);
  const bool has_counts = targets.size() > 1;
  ClassRowScore score{.weight = has_counts ? weight * sum_of(targets) : weight,
                      .log_loss = 0,
                      .brier = 0,
                      .entropy = predictive.entropy[row],
                      .aleatoric = predictive.aleatoric[row],
                      .epistemic = predictive.epistemic[row],
                      .doubt = doubt_at(predictive, row),
                      .predicted = static_cast<std::uint32_t>(predictive.predicted(row)),
                      .label = has_counts ? 0 : static_cast<std::uint32_t>(targets.front())};
  add_losses(predictive.probability.row(row), targets, score);
  return score;
}

}  // namespace

double CalibrationBins::error(double total_weight) const {
  math::CompensatedSum sum;
  for (const auto& gap : gaps_) sum.add(std::abs(gap.value()));
  return sum.value() / total_weight;
}

ClassScorer::ClassScorer(std::size_t classes, RiskOrder risk_order, double largest_weight)
    : classes_(classes),
      risk_order_(risk_order),
      weight_unit_(std::ldexp(1.0, std::ilogb(largest_weight))),
      means_(class_score_fields().size()),
      confusion_(classes * classes),
      class_confidence_(classes),
      risk_ranks_(most_ranked) {
  base::require(classes >= 2, ErrorCode::data, "there are {} classes to score, expected at least 2", classes);
  class_ranks_.assign(ranked_classes(classes), RankedWeights(most_ranked / ranked_classes(classes), odds));
}

ClassBlockScores ClassScorer::score(const ClassObservations& rows) const {
  const std::size_t count = rows.predictive.rows();
  base::check_shape(rows.predictive.probability, count, classes_, "probability");
  check_class_predictive(rows.predictive);
  check_class_targets(rows.targets, count, classes_);
  base::require(rows.weights.empty() || rows.weights.size() == count, ErrorCode::data,
                "weights has {} values, expected {}", rows.weights.size(), count);
  ClassBlockScores block;
  for (std::size_t row = 0; row < count; ++row) {
    const double weight = math::weight_at(rows.weights, row) / weight_unit_;
    block.rows.push_back(class_row_score(rows, row, weight));
    for (const double value : rows.predictive.probability.row(row)) block.probability.push_back(std::min(value, 1.0));
    if (rows.targets.cols() == 1) continue;
    for (const double value : rows.targets.row(row)) block.class_weights.push_back(weight * value);
  }
  return block;
}

void ClassScorer::add(const ClassBlockScores& block) {
  for (std::size_t row = 0; row < block.rows.size(); ++row) add_row(block, row);
  rows_ += block.rows.size();
}

void ClassScorer::add_row(const ClassBlockScores& block, std::size_t index) {
  const ClassRowScore& row = block.rows[index];
  const std::span probability(&block.probability[index * classes_], classes_);
  weight_.add(row.weight);
  for (std::size_t i = 0; i < means_.size(); ++i) {
    if (const auto term = class_score_fields()[i].term) means_[i].add(row.*term, row.weight);
  }
  for (std::size_t k = 0; k < classes_; ++k) {
    const double own = block.class_weight(index, k);
    if (own > 0) confusion_[k * classes_ + row.predicted].add(own);
    class_confidence_[k].add(probability[k], row.weight, own);
    const bool is_ranked = classes_ > 2 || k == 1;
    if (is_ranked) class_ranks_[classes_ > 2 ? k : 0].add(probability[k], own, row.weight - own);
  }
  const double right = block.class_weight(index, row.predicted);
  confidence_.add(probability[row.predicted], row.weight, right);
  const double uncertainty = risk_order_ == RiskOrder::epistemic ? row.epistemic : row.doubt;
  risk_ranks_.add(uncertainty, row.weight - right, right);
}

std::vector<double> ClassScorer::class_weights() const {
  std::vector<double> weights;
  for (std::size_t k = 0; k < classes_; ++k) {
    math::CompensatedSum sum;
    for (std::size_t predicted = 0; predicted < classes_; ++predicted) {
      sum.add(confusion_[k * classes_ + predicted].value());
    }
    weights.push_back(sum.value());
  }
  return weights;
}

void ClassScorer::add_accuracies(std::span<const double> class_weights, ClassScores& scores) const {
  math::CompensatedSum right;
  WeightedMean right_in_class;
  for (std::size_t k = 0; k < classes_; ++k) {
    const double right_of_class = confusion_[k * classes_ + k].value();
    right.add(right_of_class);
    if (class_weights[k] > 0) right_in_class.add(right_of_class / class_weights[k], 1);
  }
  scores.accuracy = right.value() / weight_.value();
  scores.balanced_accuracy = right_in_class.value();
}

std::optional<double> ClassScorer::auroc(std::span<const double> class_weights) const {
  if (std::ranges::count_if(class_weights, [](double weight) { return weight > 0; }) < 2) return std::nullopt;
  WeightedMean mean;
  for (std::size_t i = 0; i < class_ranks_.size(); ++i) {
    if (classes_ > 2 && class_weights[i] == 0) continue;
    mean.add(mann_whitney(class_ranks_[i].ascending()), 1);
  }
  return mean.value();
}

void ClassScorer::check_rows() const {
  base::require(rows_ > 0, ErrorCode::data, "there are no rows to score, expected at least 1");
}

ClassScores ClassScorer::scores() const {
  check_rows();
  ClassScores scores;
  for (std::size_t i = 0; i < means_.size(); ++i) {
    const ClassScoreField& field = class_score_fields()[i];
    if (field.term != nullptr) field.set(scores, means_[i].value());
  }
  const std::vector<double> weights = class_weights();
  add_accuracies(weights, scores);
  scores.auroc = auroc(weights);
  scores.ece = confidence_.error(weight_.value());
  WeightedMean class_error;
  for (const CalibrationBins& bins : class_confidence_) class_error.add(bins.error(weight_.value()), 1);
  scores.classwise_ece = class_error.value();
  scores.aurc = risk().area;
  return scores;
}

Matrix ClassScorer::confusion() const {
  check_rows();
  Matrix counts(classes_, classes_);
  for (std::size_t i = 0; i < confusion_.size(); ++i) counts.values()[i] = confusion_[i].value() * weight_unit_;
  return counts;
}

RiskCurve ClassScorer::risk() const {
  check_rows();
  return risk_curve(risk_ranks_.ascending());
}

void append(const ClassBlockScores& block, std::string& bytes) {
  base::append_counted(bytes, block.rows);
  base::append_counted(bytes, block.probability);
  base::append_counted(bytes, block.class_weights);
}

ClassBlockScores read_class_block_scores(base::ByteReader& reader) {
  ClassBlockScores block;
  block.rows = reader.counted<ClassRowScore>();
  block.probability = reader.counted<double>();
  block.class_weights = reader.counted<double>();
  return block;
}

}  // namespace credens::scoring

namespace credens {

namespace {

scoring::ClassScorer scorer_of(const ClassPredictive& predictive, MatrixView targets,
                               const ClassScoreOptions& options) {
  model::RowWeights weights;
  weights.add(options.weights);
  scoring::ClassScorer scorer(predictive.classes(), options.risk_order, weights.largest());
  scorer.add({.predictive = predictive, .targets = targets, .weights = options.weights});
  return scorer;
}

}  // namespace

ClassScores score(const ClassPredictive& predictive, MatrixView targets, const ClassScoreOptions& options) {
  return scorer_of(predictive, targets, options).scores();
}

Matrix confusion(const ClassPredictive& predictive, MatrixView targets, const ClassScoreOptions& options) {
  return scorer_of(predictive, targets, options).confusion();
}

RiskCurve risk_coverage(const ClassPredictive& predictive, MatrixView targets, const ClassScoreOptions& options) {
  return scorer_of(predictive, targets, options).risk();
}

}  // namespace credens
