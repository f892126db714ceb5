// SPDX-License-Identifier: Apache-2.0

#include "model/class_predictive.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"

namespace credens::model {

void ClassMixture::clear() {
  std::ranges::fill(probability_, 0.0);
  std::ranges::fill(square_, 0.0);
  expected_entropy_ = 0;
  member_entropy_ = 0;
}

void ClassMixture::add(const MemberClasses& member, double weight) {
  expected_entropy_ += weight * member.expected_entropy();
  member_entropy_ += weight * member.entropy_of_mean();
  for (std::size_t c = 0; c < probability_.size(); ++c) {
    probability_[c] += weight * member.probability()[c];
    square_[c] += weight * member.square()[c];
  }
}

std::vector<double> ClassMixture::probability(double total_weight) const {
  std::vector<double> shares = probability_;
  for (double& share : shares) share /= total_weight;
  return shares;
}

/// Differences of nearly equal numbers may come out below 0 by rounding.
void ClassMixture::write(ClassPredictive& predictive, std::size_t row, double total_weight) const {
  const std::vector<double> mean = probability(total_weight);
  const double entropy = math::entropy(mean);
  for (std::size_t c = 0; c < mean.size(); ++c) {
    predictive.probability(row, c) = mean[c];
    predictive.epistemic_variance(row, c) = std::max(0.0, square_[c] / total_weight - mean[c] * mean[c]);
  }
  predictive.entropy[row] = entropy;
  predictive.aleatoric[row] = std::min(expected_entropy_ / total_weight, entropy);
  predictive.epistemic[row] = entropy - predictive.aleatoric[row];
  predictive.between_members[row] =
      std::clamp(entropy - member_entropy_ / total_weight, 0.0, predictive.epistemic[row]);
}

ClassPredictive empty_class_predictive(std::size_t rows, std::size_t classes) {
  const std::vector<double> zeros(rows);
  return {.probability = Matrix(rows, classes),
          .epistemic_variance = Matrix(rows, classes),
          .entropy = zeros,
          .aleatoric = zeros,
          .epistemic = zeros,
          .between_members = zeros};
}

namespace {

/// Rows [first, end), members in their order: sums of floating-point numbers depend on it.
void write_class_rows(const EnsembleState& state, MemberReader& reader, std::size_t first, std::size_t end, Width width,
                      ClassPredictive& predictive) {
  MemberClasses classes(predictive.classes());
  std::vector<ClassMixture> mixtures(forward_rows, ClassMixture(predictive.classes()));
  std::vector<double> features;
  for (; first < end; first += forward_rows) {
    const std::size_t count = std::min(forward_rows, end - first);
    reader.take(first, count);
    for (std::size_t i = 0; i < count; ++i) mixtures[i].clear();
    for (std::size_t l = 0; l < state.members.size(); ++l) {
      if (state.weights[l] == 0) continue;
      const MemberPosterior& posterior = state.members[l].posterior;
      const bool is_point = width == Width::none || posterior.kind == PosteriorKind::delta;
      const MemberView member = reader.member(l, 0, count);
      for (std::size_t i = 0; i < count; ++i) {
        const double variance = is_point ? 0 : epistemic_variance(posterior, member.features.row(i, features), 0);
        classes.run(member.mean.row(i), variance);
        mixtures[i].add(classes, state.weights[l]);
      }
    }
    for (std::size_t i = 0; i < count; ++i) mixtures[i].write(predictive, first + i);
  }
}

}  // namespace

ClassPredictive class_predictive_of(const EnsembleState& state, const MemberSource& source, int threads, Width width) {
  ClassPredictive predictive = empty_class_predictive(source.rows, state.target_scaler.cols());
  const std::size_t blocks = (source.rows + forward_rows - 1) / forward_rows;
  const auto tasks = std::min<std::size_t>(blocks, 8 * static_cast<std::size_t>(base::thread_count(threads)));
  base::parallel_for(tasks, threads, [&](std::size_t task) {
    const std::size_t first = task * blocks / tasks * forward_rows;
    const std::size_t end = std::min(source.rows, (task + 1) * blocks / tasks * forward_rows);
    write_class_rows(state, *source.reader(), first, end, width, predictive);
  });
  return predictive;
}

void check_task(const EnsembleState& state, bool needs_classes) {
  const bool has_classes = state.schema.is_classification();
  base::require(has_classes == needs_classes, ErrorCode::usage, "{}",
                has_classes ? "this model predicts classes: ask for their probabilities"
                            : "this model predicts numbers, not classes");
}

}  // namespace credens::model
