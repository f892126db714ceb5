// SPDX-License-Identifier: Apache-2.0

#include <credens/predictive.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "math/normal.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

using base::require;
using math::MixtureView;
using model::MarginalReader;

// Squares of means, and sums of variances, below these bounds are finite.
constexpr double largest_mean = 1e150;
constexpr double largest_variance = 1e300;

void check_weights(const std::vector<double>& weights) {
  require(!weights.empty(), ErrorCode::usage, "a predictive distribution has no members, expected at least 1");
  for (const double weight : weights) {
    require(weight >= 0 && weight <= 1, ErrorCode::usage, "a member's weight is {}, expected a number from 0 to 1",
            weight);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  require(std::abs(sum - 1) <= 1e-9, ErrorCode::usage, "the weights of the members have the sum {}, expected 1", sum);
}

void check_values(const MixtureComponents& components, const std::vector<double>& values, std::string_view name,
                  std::string_view expected, bool (*holds)(double)) {
  const std::size_t count = components.rows * components.weights.size() * components.outputs;
  require(values.size() == count, ErrorCode::usage, "{} has {} values, expected {}", name, values.size(), count);
  const auto found = std::find_if_not(values.begin(), values.end(), holds);
  if (found == values.end()) return;
  const auto at = static_cast<std::size_t>(found - values.begin());
  const std::size_t per_row = components.weights.size() * components.outputs;
  base::fail(ErrorCode::data, "row {}, member {}, output {}: {} is {}, expected {}", at / per_row,
             at % per_row / components.outputs, at % components.outputs, name, *found, expected);
}

void check(const MixtureComponents& components) {
  check_weights(components.weights);
  require(components.outputs > 0, ErrorCode::usage, "a predictive distribution has no outputs, expected at least 1");
  check_values(components, components.mean, "mean", "a magnitude below 1e150",
               [](double value) { return std::abs(value) < largest_mean; });
  check_values(components, components.aleatoric_variance, "aleatoric variance", "a number above 0 and below 1e300",
               [](double value) { return value > 0 && value < largest_variance; });
  check_values(components, components.epistemic_variance, "epistemic variance", "a number from 0 to below 1e300",
               [](double value) { return value >= 0 && value < largest_variance; });
}

template <class Value>
Matrix for_each_marginal(const MixtureComponents& components, const Value& value) {
  Matrix result(components.rows, components.outputs);
  for (std::size_t row = 0; row < components.rows; ++row) {
    for (std::size_t output = 0; output < components.outputs; ++output) result(row, output) = value(row, output);
  }
  return result;
}

Interval symmetric_interval(const Matrix& mean, const Matrix& variance, double factor) {
  Interval interval{mean, mean};
  for (std::size_t i = 0; i < mean.values().size(); ++i) {
    const double half_width = factor * std::sqrt(variance.values()[i]);
    interval.lower.values()[i] -= half_width;
    interval.upper.values()[i] += half_width;
  }
  return interval;
}

/// z with P(|Z| <= z) = level, from the tail, where no digit is lost.
double two_sided_quantile(double level) {
  base::check_probability(level, "level");
  return -math::normal_quantile((1 - level) / 2);
}

/// (1 + level) / 2, below 1 also where that rounds to 1.
double upper_probability(double level) {
  return std::min((1 + level) / 2, 1 - std::numeric_limits<double>::epsilon() / 2);
}

void check_row(const MixtureComponents& components, std::size_t row) {
  require(row < components.rows, ErrorCode::usage, "row {} was asked for, expected one below {}", row, components.rows);
}

void check_points(const MixtureComponents& components, MatrixView values) {
  base::check_shape(values, components.rows, components.outputs, "values");
  base::check_finite(values, "values");
}

/// log w_l + sum_k log N(y_k; m_lk, s_lk^2 + e_lk) for member l.
double joint_log_density(const MixtureComponents& components, std::size_t row, std::size_t member,
                         std::span<const double> values) {
  double sum = std::log(components.weights[member]);
  const std::size_t at = (row * components.weights.size() + member) * components.outputs;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double variance = components.aleatoric_variance[at + k] + components.epistemic_variance[at + k];
    sum += math::normal_log_density(values[k], components.mean[at + k], variance);
  }
  return sum;
}

}  // namespace

Predictive::Predictive(MixtureComponents components) : components_(std::move(components)) {
  check(components_);
}

Interval PredictiveMoments::interval(double level) const {
  return symmetric_interval(mean, total_variance, two_sided_quantile(level));
}

Interval PredictiveMoments::function_interval(double level) const {
  return symmetric_interval(mean, epistemic_variance, two_sided_quantile(level));
}

Interval PredictiveMoments::coverage_factor_interval(double factor) const {
  base::check_positive(factor, "coverage factor");
  return symmetric_interval(mean, total_variance, factor);
}

Interval PredictiveMoments::function_coverage_factor_interval(double factor) const {
  base::check_positive(factor, "coverage factor");
  return symmetric_interval(mean, epistemic_variance, factor);
}

PredictiveMoments Predictive::moments() const {
  const Matrix none(rows(), outputs());
  PredictiveMoments all{none, none, none, none};
  for (std::size_t row = 0; row < rows(); ++row) {
    for (std::size_t output = 0; output < outputs(); ++output) {
      const model::Moments moments = model::moments_at(components_, row, output);
      all.mean(row, output) = moments.mean;
      all.aleatoric_variance(row, output) = moments.aleatoric;
      all.epistemic_variance(row, output) = moments.epistemic();
      all.total_variance(row, output) = moments.total();
    }
  }
  return all;
}

Matrix Predictive::aleatoric_covariance(std::size_t row) const {
  check_row(components_, row);
  Matrix covariance(outputs(), outputs());
  for (std::size_t k = 0; k < outputs(); ++k) covariance(k, k) = model::moments_at(components_, row, k).aleatoric;
  return covariance;
}

Matrix Predictive::epistemic_covariance(std::size_t row) const {
  check_row(components_, row);
  Matrix covariance(outputs(), outputs());
  for (std::size_t a = 0; a < outputs(); ++a) {
    covariance(a, a) = model::moments_at(components_, row, a).epistemic();
    for (std::size_t b = 0; b < a; ++b) {
      covariance(a, b) = covariance(b, a) = model::between_covariance(components_, row, a, b);
    }
  }
  return covariance;
}

Matrix Predictive::total_covariance(std::size_t row) const {
  Matrix covariance = epistemic_covariance(row);
  for (std::size_t k = 0; k < outputs(); ++k) covariance(k, k) = model::moments_at(components_, row, k).total();
  return covariance;
}

Interval Predictive::interval(double level, IntervalKind kind) const {
  if (kind == IntervalKind::gaussian) return moments().interval(level);
  base::check_probability(level, "level");
  return {quantile((1 - level) / 2), quantile(upper_probability(level))};
}

Interval Predictive::function_interval(double level, IntervalKind kind) const {
  if (kind == IntervalKind::gaussian) return moments().function_interval(level);
  base::check_probability(level, "level");
  return {function_quantile((1 - level) / 2), function_quantile(upper_probability(level))};
}

Matrix Predictive::quantile(double probability) const {
  base::check_probability(probability, "probability");
  MarginalReader marginals(components_);
  return for_each_marginal(components_, [&](std::size_t row, std::size_t output) {
    return math::mixture_quantile(marginals.total(row, output), probability);
  });
}

Matrix Predictive::function_quantile(double probability) const {
  base::check_probability(probability, "probability");
  MarginalReader marginals(components_);
  return for_each_marginal(components_, [&](std::size_t row, std::size_t output) {
    return math::mixture_quantile(marginals.function(row, output), probability);
  });
}

Matrix Predictive::cdf(MatrixView values) const {
  check_points(components_, values);
  MarginalReader marginals(components_);
  return for_each_marginal(components_, [&](std::size_t row, std::size_t output) {
    return math::mixture_cdf(marginals.total(row, output), values(row, output));
  });
}

Matrix Predictive::density(MatrixView values) const {
  check_points(components_, values);
  MarginalReader marginals(components_);
  return for_each_marginal(components_, [&](std::size_t row, std::size_t output) {
    return std::exp(math::mixture_log_density(marginals.total(row, output), values(row, output)));
  });
}

std::vector<double> Predictive::log_density(MatrixView values) const {
  check_points(components_, values);
  std::vector<double> result(rows());
  std::vector<double> terms;
  for (std::size_t row = 0; row < rows(); ++row) {
    terms.clear();
    for (std::size_t l = 0; l < members(); ++l) {
      if (components_.weights[l] > 0) terms.push_back(joint_log_density(components_, row, l, values.row(row)));
    }
    result[row] = math::log_sum_exp(terms);
  }
  return result;
}

Predictive Predictive::classical() const {
  MixtureComponents components = components_;
  std::fill(components.epistemic_variance.begin(), components.epistemic_variance.end(), 0.0);
  return Predictive(std::move(components));
}

}  // namespace credens
