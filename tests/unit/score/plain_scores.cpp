// SPDX-License-Identifier: Apache-2.0

#include "unit/score/plain_scores.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credens::scoring {

namespace {

double distribution(const MixtureComponents& c, std::size_t row, std::size_t output, double value) {
  double sum = 0;
  for (std::size_t l = 0; l < c.weights.size(); ++l) {
    const std::size_t at = (row * c.weights.size() + l) * c.outputs + output;
    const double std = std::sqrt(c.aleatoric_variance[at] + c.epistemic_variance[at]);
    sum += c.weights[l] * 0.5 * std::erfc(-(value - c.mean[at]) / std / std::numbers::sqrt2);
  }
  return sum;
}

/// Rows as often as they count.
std::vector<std::size_t> repeated(const std::vector<std::size_t>& copies) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < copies.size(); ++i) rows.insert(rows.end(), copies[i], i);
  return rows;
}

template <class Value>
double mean_over(const std::vector<std::size_t>& rows, const Value& value) {
  double sum = 0;
  for (const std::size_t row : rows) sum += value(row);
  return sum / static_cast<double>(rows.size());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : 0.5 * (values[middle - 1] + values[middle]);
}

double share(const std::vector<std::size_t>& rows, const Interval& interval, const Matrix& values, std::size_t k) {
  return mean_over(rows, [&](std::size_t row) {
    return values(row, k) >= interval.lower(row, k) && values(row, k) <= interval.upper(row, k) ? 1.0 : 0.0;
  });
}

double interval_score(const Interval& interval, std::size_t row, std::size_t k, double y, double alpha) {
  double score = interval.upper(row, k) - interval.lower(row, k);
  if (y < interval.lower(row, k)) score += 2 / alpha * (interval.lower(row, k) - y);
  if (y > interval.upper(row, k)) score += 2 / alpha * (y - interval.upper(row, k));
  return score;
}

double calibration_error(const std::vector<std::size_t>& rows, const Matrix& pit, std::size_t k) {
  double sum = 0;
  for (int percent = 1; percent <= 99; ++percent) {
    const double level = percent / 100.0;
    sum += std::abs(mean_over(rows, [&](std::size_t row) { return pit(row, k) <= level ? 1.0 : 0.0; }) - level);
  }
  return sum / 99;
}

/// d^T C^-1 d and log det C by elimination without pivoting, fine for positive definite C.
double gaussian_nll(Matrix c, std::vector<double> d) {
  const std::vector<double> residual = d;
  double log_determinant = 0;
  const std::size_t q = d.size();
  for (std::size_t i = 0; i < q; ++i) {
    log_determinant += std::log(c(i, i));
    for (std::size_t r = i + 1; r < q; ++r) {
      const double factor = c(r, i) / c(i, i);
      for (std::size_t j = i; j < q; ++j) c(r, j) -= factor * c(i, j);
      d[r] -= factor * d[i];
    }
  }
  double square = 0;
  for (std::size_t i = q; i-- > 0;) {
    for (std::size_t j = i + 1; j < q; ++j) d[i] -= c(i, j) * d[j];
    d[i] /= c(i, i);
    square += residual[i] * d[i];
  }
  return 0.5 * (static_cast<double>(q) * std::log(2 * std::numbers::pi) + log_determinant + square);
}

}  // namespace

Scores plain_scores(const Predictive& predictive, const Matrix& targets, std::size_t k,
                    const std::vector<std::size_t>& copies, const ScoreOptions& options) {
  const std::vector<std::size_t> rows = repeated(copies);
  const Matrix mean = predictive.mean();
  const Matrix aleatoric = predictive.aleatoric_variance();
  const Matrix epistemic = predictive.epistemic_variance();
  const Matrix total = predictive.total_variance();
  const Matrix density = predictive.density(targets);
  const Interval interval = predictive.interval(options.level, options.interval);
  const Interval function = predictive.function_interval(options.level, options.interval);
  const auto residual = [&](std::size_t row) { return targets(row, k) - mean(row, k); };
  std::vector<double> ratios;
  for (const std::size_t row : rows) ratios.push_back(epistemic(row, k) / aleatoric(row, k));

  Scores scores;
  scores.rmse = std::sqrt(mean_over(rows, [&](std::size_t row) { return residual(row) * residual(row); }));
  scores.mae = mean_over(rows, [&](std::size_t row) { return std::abs(residual(row)); });
  scores.epistemic_coverage = share(rows, function, targets, k);
  scores.total_coverage = share(rows, interval, targets, k);
  scores.epistemic_aleatoric_ratio =
      mean_over(rows, [&](std::size_t row) { return epistemic(row, k) / aleatoric(row, k); });
  scores.epistemic_aleatoric_ratio_median = median(ratios);
  scores.nll = mean_over(rows, [&](std::size_t row) { return -std::log(density(row, k)); });
  scores.nll_gaussian = mean_over(rows, [&](std::size_t row) {
    return 0.5 * (std::log(2 * std::numbers::pi * total(row, k)) + residual(row) * residual(row) / total(row, k));
  });
  scores.crps = mean_over(rows, [&](std::size_t row) { return integrated_crps(predictive, row, k, targets(row, k)); });
  scores.interval_width =
      mean_over(rows, [&](std::size_t row) { return interval.upper(row, k) - interval.lower(row, k); });
  scores.interval_score = mean_over(
      rows, [&](std::size_t row) { return interval_score(interval, row, k, targets(row, k), 1 - options.level); });
  scores.calibration_error = calibration_error(rows, predictive.cdf(targets), k);
  scores.sharpness = std::sqrt(mean_over(rows, [&](std::size_t row) { return total(row, k); }));
  return scores;
}

double plain_gaussian_nll(const Predictive& predictive, const Matrix& targets, const std::vector<std::size_t>& copies) {
  const Matrix mean = predictive.mean();
  return mean_over(repeated(copies), [&](std::size_t row) {
    std::vector<double> residual;
    for (std::size_t k = 0; k < targets.cols(); ++k) residual.push_back(targets(row, k) - mean(row, k));
    return gaussian_nll(predictive.total_covariance(row), residual);
  });
}

double integrated_crps(const Predictive& predictive, std::size_t row, std::size_t output, double value) {
  const double reach = 40;
  const std::size_t steps = 20'000;
  // Midpoint rule on either side of the jump at the value.
  double integral = 0;
  const double step = reach / static_cast<double>(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    const double t = (static_cast<double>(i) + 0.5) * step;
    const double below = distribution(predictive.components(), row, output, value - t);
    const double above = 1 - distribution(predictive.components(), row, output, value + t);
    integral += step * (below * below + above * above);
  }
  return integral;
}

}  // namespace credens::scoring
