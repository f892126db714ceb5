// SPDX-License-Identifier: Apache-2.0

#include "score/class_diagnostics.hpp"

#include <algorithm>
#include <cmath>

#include "score/class_checks.hpp"

namespace credens::scoring {

namespace {

void observe(const ClassPredictive& predictive, std::size_t index, std::span<const double> targets, ClassRow& row) {
  const bool has_counts = targets.size() > 1;
  const auto most = static_cast<std::size_t>(std::ranges::max_element(targets) - targets.begin());
  const std::size_t observed = has_counts ? most : static_cast<std::size_t>(targets.front());
  row.observed = static_cast<std::uint32_t>(observed);
  row.observed_probability = predictive.probability(index, observed);
  if (!has_counts) {
    row.right = observed == row.predicted ? 1 : 0;
    return;
  }
  const double sum = sum_of(targets);
  row.right = targets[row.predicted] / sum;
  row.weight *= sum;
}

}  // namespace

std::vector<ClassRow> class_rows(const ClassPredictive& predictive, MatrixView targets, std::span<const double> weights,
                                 std::size_t first_row) {
  std::vector<ClassRow> rows;
  for (std::size_t i = 0; i < predictive.rows(); ++i) {
    ClassRow row{.row = first_row + i,
                 .weight = math::weight_at(weights, i),
                 .confidence = 1 - doubt_at(predictive, i),
                 .entropy = predictive.entropy[i],
                 .aleatoric = predictive.aleatoric[i],
                 .epistemic = predictive.epistemic[i],
                 .predicted = static_cast<std::uint32_t>(predictive.predicted(i))};
    if (targets.rows() > 0) observe(predictive, i, targets.row(i), row);
    rows.push_back(row);
  }
  return rows;
}

void LeastKnown::add(const ClassRow& row) {
  const auto place = std::ranges::upper_bound(rows_, row.epistemic, std::ranges::greater(), &ClassRow::epistemic);
  if (rows_.size() == most_ && place == rows_.end()) return;
  rows_.insert(place, row);
  if (rows_.size() > most_) rows_.pop_back();
}

void Reliability::add(const ClassRow& row) {
  Sums& sums = sums_[CalibrationBins::bin_of(row.confidence)];
  sums.weight.add(row.weight);
  sums.square.add(row.weight * row.weight);
  sums.confidence.add(row.weight * row.confidence);
  sums.right.add(row.weight * row.right);
}

std::vector<ReliabilityBin> Reliability::bins() const {
  math::CompensatedSum total;
  for (const Sums& sums : sums_) total.add(sums.weight.value());
  std::vector<ReliabilityBin> bins;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const double weight = sums_[i].weight.value();
    if (weight == 0) continue;
    bins.push_back({.low = i == 0 ? 0 : CalibrationBins::upper_edge(i - 1),
                    .high = CalibrationBins::upper_edge(i),
                    .share = weight / total.value(),
                    .confidence = sums_[i].confidence.value() / weight,
                    .accuracy = sums_[i].right.value() / weight,
                    .effective_rows = weight * weight / sums_[i].square.value()});
  }
  return bins;
}

std::vector<EntropyGroup> entropy_groups(std::span<const ClassRow> rows, std::size_t most) {
  std::vector<ClassRow> order(rows.begin(), rows.end());
  std::ranges::stable_sort(order, {}, &ClassRow::entropy);
  const std::size_t count = std::min(most, order.size());
  std::vector<EntropyGroup> groups;
  for (std::size_t group = 0; group < count; ++group) {
    const std::size_t first = group * order.size() / count;
    const std::size_t end = (group + 1) * order.size() / count;
    EntropyGroup& mean = groups.emplace_back();
    mean.share = static_cast<double>(first + end) / 2 / static_cast<double>(order.size());
    for (const ClassRow& row : std::span(order).subspan(first, end - first)) {
      mean.aleatoric += row.aleatoric / static_cast<double>(end - first);
      mean.epistemic += row.epistemic / static_cast<double>(end - first);
    }
  }
  return groups;
}

PairHistogram pair_histogram(std::span<const RankedPair> pairs, std::size_t bins) {
  PairHistogram histogram{
      .high = pairs.back().value, .first = std::vector<double>(bins), .second = std::vector<double>(bins)};
  double first = 0;
  double second = 0;
  for (const RankedPair& pair : pairs) {
    first += pair.first;
    second += pair.second;
  }
  for (const RankedPair& pair : pairs) {
    const double place = histogram.high > 0 ? pair.value / histogram.high * static_cast<double>(bins) : 0;
    const auto bin = std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, place)));
    histogram.first[bin] += pair.first / first;
    histogram.second[bin] += pair.second / second;
  }
  return histogram;
}

}  // namespace credens::scoring
