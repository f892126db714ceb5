// SPDX-License-Identifier: Apache-2.0

#include "score/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/statistics.hpp"
#include "score/accumulators.hpp"

namespace credens::scoring {

namespace {

using math::total_weight;
using math::weight_at;

Predictive one_output(const Predictive& predictive, std::size_t output) {
  const MixtureComponents& all = predictive.components();
  MixtureComponents one{.rows = all.rows, .outputs = 1, .weights = all.weights};
  const auto take = [&](const std::vector<double>& from, std::vector<double>& into) {
    into.reserve(from.size() / all.outputs);
    for (std::size_t at = output; at < from.size(); at += all.outputs) into.push_back(from[at]);
  };
  take(all.mean, one.mean);
  take(all.aleatoric_variance, one.aleatoric_variance);
  take(all.epistemic_variance, one.epistemic_variance);
  return Predictive(std::move(one));
}

std::vector<double> values_of(const Matrix& column) {
  return {column.values().begin(), column.values().end()};
}

std::vector<double> roots_of(const Matrix& column) {
  std::vector<double> roots = values_of(column);
  for (double& value : roots) value = std::sqrt(value);
  return roots;
}

}  // namespace

OutputDiagnostics diagnose(const Predictive& predictive, MatrixView targets, std::size_t output,
                           const IntervalOptions& options) {
  const Predictive marginal = one_output(predictive, output);
  Matrix observed(targets.rows(), 1);
  for (std::size_t row = 0; row < targets.rows(); ++row) observed(row, 0) = targets(row, output);
  const PredictiveMoments moments = marginal.moments();
  const Interval interval = marginal.interval(options.level, options.kind);
  const Interval function = marginal.function_interval(options.level, options.kind);
  return {.observed = values_of(observed),
          .mean = values_of(moments.mean),
          .aleatoric_std = roots_of(moments.aleatoric_variance),
          .epistemic_std = roots_of(moments.epistemic_variance),
          .total_std = roots_of(moments.total_variance),
          .lower = values_of(interval.lower),
          .upper = values_of(interval.upper),
          .function_lower = values_of(function.lower),
          .function_upper = values_of(function.upper),
          .pit = values_of(marginal.cdf(observed)),
          .classical_pit = values_of(marginal.classical().cdf(observed))};
}

void append(const OutputDiagnostics& more, OutputDiagnostics& rows) {
  using Rows = OutputDiagnostics;
  for (const auto part :
       {&Rows::observed, &Rows::mean, &Rows::aleatoric_std, &Rows::epistemic_std, &Rows::total_std, &Rows::lower,
        &Rows::upper, &Rows::function_lower, &Rows::function_upper, &Rows::pit, &Rows::classical_pit}) {
    (rows.*part).insert((rows.*part).end(), (more.*part).begin(), (more.*part).end());
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

double effective_rows(std::size_t rows, std::span<const double> weights) {
  math::CompensatedSum squares;
  for (std::size_t row = 0; row < rows; ++row) squares.add(weight_at(weights, row) * weight_at(weights, row));
  const double total = total_weight(rows, weights);
  return total * total / squares.value();
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
