// SPDX-License-Identifier: Apache-2.0

#include "score/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/statistics.hpp"
#include "score/accumulators.hpp"

namespace credens::scoring {

using math::total_weight;
using math::weight_at;

void diagnose(const Predictive& predictive, MatrixView targets, const IntervalOptions& options,
              std::span<OutputDiagnostics> outputs) {
  const PredictiveMoments moments = predictive.moments();
  const Interval interval = predictive.interval(options.level, options.kind);
  const Interval function = predictive.function_interval(options.level, options.kind);
  const Matrix pit = predictive.cdf(targets);
  const Matrix classical_pit = predictive.classical().cdf(targets);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    OutputDiagnostics& output = outputs[k];
    for (std::size_t row = 0; row < targets.rows(); ++row) {
      output.observed.push_back(targets(row, k));
      output.mean.push_back(moments.mean(row, k));
      output.aleatoric_std.push_back(std::sqrt(moments.aleatoric_variance(row, k)));
      output.epistemic_std.push_back(std::sqrt(moments.epistemic_variance(row, k)));
      output.total_std.push_back(std::sqrt(moments.total_variance(row, k)));
      output.lower.push_back(interval.lower(row, k));
      output.upper.push_back(interval.upper(row, k));
      output.function_lower.push_back(function.lower(row, k));
      output.function_upper.push_back(function.upper(row, k));
      output.pit.push_back(pit(row, k));
      output.classical_pit.push_back(classical_pit(row, k));
    }
  }
}

Curve calibration_curve(std::span<const double> pit, std::span<const double> weights) {
  PitDistribution distribution;
  for (std::size_t row = 0; row < pit.size(); ++row) distribution.add(pit[row], weight_at(weights, row));
  const auto shares = distribution.shares();
  Curve curve{.y = {shares.begin(), shares.end()}};
  for (std::size_t i = 0; i < shares.size(); ++i) curve.x.push_back(PitDistribution::level(i));
  return curve;
}

std::vector<double> histogram(std::span<const double> values, std::span<const double> weights, std::size_t bins) {
  std::vector<math::CompensatedSum> sums(bins);
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto bin = static_cast<std::size_t>(values[row] * static_cast<double>(bins));
    sums[std::min(bin, bins - 1)].add(weight_at(weights, row));
  }
  const double total = total_weight(values.size(), weights);
  std::vector<double> shares;
  for (const auto& sum : sums) shares.push_back(sum.value() / total);
  return shares;
}

Curve sparsification(std::span<const double> errors, std::span<const double> uncertainty,
                     std::span<const double> weights, std::size_t steps) {
  const std::vector<std::size_t> order = ascending(uncertainty);
  const double total = total_weight(errors.size(), weights);
  Curve curve{.x = std::vector<double>(steps), .y = std::vector<double>(steps)};
  math::CompensatedSum kept;
  math::CompensatedSum squares;
  std::size_t step = steps;  // from nearly all taken away to nothing
  for (std::size_t place = 0; place < order.size() && step > 0; ++place) {
    const double weight = weight_at(weights, order[place]);
    const double square = errors[order[place]] * errors[order[place]];
    const bool is_last = place + 1 == order.size();  // rounding must not leave a step without its rows
    for (; step > 0; --step) {
      const double wanted = total * static_cast<double>(steps - step + 1) / static_cast<double>(steps);
      if (!is_last && kept.value() + weight < wanted) break;
      const double part = std::clamp(wanted - kept.value(), 0.0, weight);
      curve.x[step - 1] = static_cast<double>(step - 1) / static_cast<double>(steps);
      curve.y[step - 1] = std::sqrt((squares.value() + part * square) / (kept.value() + part));
    }
    kept.add(weight);
    squares.add(weight * square);
  }
  return curve;
}

Curve error_by_uncertainty(std::span<const double> errors, std::span<const double> uncertainty,
                           std::span<const double> weights, std::size_t groups) {
  const std::vector<std::size_t> order = ascending(uncertainty);
  Curve curve;
  for (std::size_t group = 0; group < groups; ++group) {
    WeightedMean variance;
    WeightedMean square;
    double weight = 0;
    for (std::size_t place = group * order.size() / groups; place < (group + 1) * order.size() / groups; ++place) {
      const std::size_t row = order[place];
      weight += weight_at(weights, row);
      variance.add(uncertainty[row] * uncertainty[row], weight_at(weights, row));
      square.add(errors[row] * errors[row], weight_at(weights, row));
    }
    if (weight == 0) continue;
    curve.x.push_back(std::sqrt(variance.value()));
    curve.y.push_back(std::sqrt(square.value()));
  }
  return curve;
}

std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

std::vector<std::size_t> largest(std::span<const double> values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_before = [&](std::size_t a, std::size_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end(), is_before);
  order.erase(end, order.end());
  return order;
}

std::vector<std::size_t> evenly_spaced(std::size_t rows, std::size_t most) {
  const std::size_t count = std::min(rows, most);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(i * rows / count);
  return chosen;
}

}  // namespace credens::scoring
