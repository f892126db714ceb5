// SPDX-License-Identifier: Apache-2.0

#include <credens/predictive.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "math/normal.hpp"
#include "model/marginal.hpp"
#include "model/weights.hpp"

namespace credens::model {

namespace {

std::size_t index_of(const MixtureComponents& components, std::size_t row, std::size_t member, std::size_t output) {
  return (row * components.weights.size() + member) * components.outputs + output;
}

/// sum_l w_l m_l as m_r + sum_l w_l (m_l - m_r) around the first member r that counts: members that agree have exactly
/// their common mean, however the weights were rounded.
double mean_at(const MixtureComponents& components, std::size_t row, std::size_t output) {
  const std::vector<double>& weights = components.weights;
  const auto first = std::find_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
  const auto reference = static_cast<std::size_t>(first - weights.begin());
  const double origin = components.mean[index_of(components, row, reference, output)];
  double sum = 0;
  for (std::size_t l = reference + 1; l < weights.size(); ++l) {
    if (weights[l] > 0) sum += weights[l] * (components.mean[index_of(components, row, l, output)] - origin);
  }
  return origin + sum;
}

}  // namespace

Moments moments_at(const MixtureComponents& components, std::size_t row, std::size_t output) {
  Moments moments{.mean = mean_at(components, row, output)};
  for (std::size_t l = 0; l < components.weights.size(); ++l) {
    const double weight = components.weights[l];
    if (weight == 0) continue;
    const std::size_t at = index_of(components, row, l, output);
    const double deviation = components.mean[at] - moments.mean;
    moments.aleatoric += weight * components.aleatoric_variance[at];
    moments.between += weight * deviation * deviation;
    moments.within += weight * components.epistemic_variance[at];
    if (!components.inputs.slope_variance.empty()) moments.slopes += weight * components.inputs.slope_variance[at];
  }
  if (components.inputs.names.empty()) return moments;
  moments.input = input_covariance(components, row, output, output);
  moments.between = std::max(moments.between + moments.slopes - moments.input, 0.0);
  return moments;
}

double input_covariance(const MixtureComponents& components, std::size_t row, std::size_t a, std::size_t b) {
  if (components.inputs.names.empty()) return 0;
  return components.inputs.covariance[(row * components.outputs + a) * components.outputs + b];
}

double between_covariance(const MixtureComponents& components, std::size_t row, std::size_t a, std::size_t b) {
  const double mean_a = mean_at(components, row, a);
  const double mean_b = mean_at(components, row, b);
  double sum = 0;
  for (std::size_t l = 0; l < components.weights.size(); ++l) {
    const double weight = components.weights[l];
    if (weight == 0) continue;
    sum += weight * (components.mean[index_of(components, row, l, a)] - mean_a) *
           (components.mean[index_of(components, row, l, b)] - mean_b);
  }
  return sum;
}

MarginalReader::MarginalReader(const MixtureComponents& components) : components_(components) {
  for (std::size_t l = 0; l < components.weights.size(); ++l) {
    if (components.weights[l] == 0) continue;
    members_.push_back(l);
    weight_.push_back(components.weights[l]);
  }
  mean_.resize(members_.size());
  std_.resize(members_.size());
}

math::MixtureView MarginalReader::gather(std::size_t row, std::size_t output, bool with_noise) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t at = index_of(components_, row, members_[i], output);
    mean_[i] = components_.mean[at];
    const double noise = with_noise ? components_.aleatoric_variance[at] : 0;
    const double slopes = components_.inputs.slope_variance.empty() ? 0 : components_.inputs.slope_variance[at];
    std_[i] = std::sqrt(noise + components_.epistemic_variance[at] + slopes);
  }
  return {weight_, mean_, std_};
}

}  // namespace credens::model

namespace credens {

namespace {

using base::require;
using math::MixtureView;
using model::MarginalReader;

// Squares of means, and sums of variances, below these bounds are finite.
constexpr double largest_mean = 1e150;
constexpr double largest_variance = 1e300;

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

void check_inputs(const MixtureComponents& components) {
  const InputSpread& inputs = components.inputs;
  const std::size_t values = components.rows * components.outputs;
  require(inputs.draws > 0 && components.weights.size() % inputs.draws == 0, ErrorCode::usage,
          "{} components are not those of {} draws of the inputs", components.weights.size(), inputs.draws);
  require(inputs.slope_variance.empty() || inputs.slope_variance.size() == components.mean.size(), ErrorCode::usage,
          "slope variances of {} components, expected {}", inputs.slope_variance.size(), components.mean.size());
  if (inputs.names.empty()) return;
  require(inputs.covariance.size() == values * components.outputs && inputs.std.size() == values * inputs.names.size(),
          ErrorCode::usage, "the spread of {} uncertain inputs has {} covariances and {} standard deviations",
          inputs.names.size(), inputs.covariance.size(), inputs.std.size());
}

void check(const MixtureComponents& components) {
  require(!components.weights.empty(), ErrorCode::usage,
          "a predictive distribution has no members, expected at least 1");
  model::check_mixture_weights(components.weights);
  require(components.outputs > 0, ErrorCode::usage, "a predictive distribution has no outputs, expected at least 1");
  check_values(components, components.mean, "mean", "a magnitude below 1e150",
               [](double value) { return std::abs(value) < largest_mean; });
  check_values(components, components.aleatoric_variance, "aleatoric variance", "a number above 0 and below 1e300",
               [](double value) { return value > 0 && value < largest_variance; });
  check_values(components, components.epistemic_variance, "epistemic variance", "a number from 0 to below 1e300",
               [](double value) { return value >= 0 && value < largest_variance; });
  check_inputs(components);
}

/// value(mixture, row, output) of each marginal, with or without noise.
template <class Value>
Matrix for_each_marginal(const MixtureComponents& components, bool with_noise, const Value& value) {
  MarginalReader marginals(components);
  Matrix result(components.rows, components.outputs);
  for (std::size_t row = 0; row < components.rows; ++row) {
    for (std::size_t output = 0; output < components.outputs; ++output) {
      result(row, output) = value(marginals.gather(row, output, with_noise), row, output);
    }
  }
  return result;
}

Matrix quantiles(const MixtureComponents& components, bool with_noise, double probability) {
  base::check_probability(probability, "probability");
  return for_each_marginal(components, with_noise, [&](const MixtureView& mixture, std::size_t, std::size_t) {
    return math::mixture_quantile(mixture, probability);
  });
}

void check_points(const MixtureComponents& components, MatrixView values) {
  base::check_shape(values, components.rows, components.outputs, "values");
  base::check_finite(values, "values");
}

Matrix cdfs(const MixtureComponents& components, bool with_noise, MatrixView values) {
  check_points(components, values);
  const auto cdf = [&](const MixtureView& mixture, std::size_t row, std::size_t output) {
    return math::mixture_cdf(mixture, values(row, output));
  };
  return for_each_marginal(components, with_noise, cdf);
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

/// Ignorance and inputs: what makes the regression function uncertain.
Matrix function_variance(const PredictiveMoments& moments) {
  Matrix variance = moments.epistemic_variance;
  for (std::size_t i = 0; i < variance.values().size(); ++i) variance.values()[i] += moments.input_variance.values()[i];
  return variance;
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

/// log w_l + sum_k log N(y_k; m_lk, s_lk^2 + e_lk) for member l.
double joint_log_density(const MixtureComponents& components, std::size_t row, std::size_t member,
                         std::span<const double> values) {
  double sum = std::log(components.weights[member]);
  const std::size_t at = (row * components.weights.size() + member) * components.outputs;
  for (std::size_t k = 0; k < values.size(); ++k) {
    double variance = components.aleatoric_variance[at + k] + components.epistemic_variance[at + k];
    if (!components.inputs.slope_variance.empty()) variance += components.inputs.slope_variance[at + k];
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
  return symmetric_interval(mean, function_variance(*this), two_sided_quantile(level));
}

Interval PredictiveMoments::coverage_factor_interval(double factor) const {
  base::check_positive(factor, "coverage factor");
  return symmetric_interval(mean, total_variance, factor);
}

Interval PredictiveMoments::function_coverage_factor_interval(double factor) const {
  base::check_positive(factor, "coverage factor");
  return symmetric_interval(mean, function_variance(*this), factor);
}

PredictiveMoments Predictive::moments() const {
  const Matrix none(rows(), outputs());
  PredictiveMoments all{none, none, none, none, none};
  for (std::size_t row = 0; row < rows(); ++row) {
    for (std::size_t output = 0; output < outputs(); ++output) {
      const model::Moments moments = model::moments_at(components_, row, output);
      all.mean(row, output) = moments.mean;
      all.aleatoric_variance(row, output) = moments.aleatoric;
      all.epistemic_variance(row, output) = moments.epistemic();
      all.total_variance(row, output) = moments.total();
      all.input_variance(row, output) = moments.input;
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
      // Draws of the inputs are components, so their covariance is a part of that between components.
      const double inputs = components_.inputs.draws > 1 ? model::input_covariance(components_, row, a, b) : 0;
      covariance(a, b) = covariance(b, a) = model::between_covariance(components_, row, a, b) - inputs;
    }
  }
  return covariance;
}

Matrix Predictive::input_std(std::size_t input) const {
  const InputSpread& inputs = components_.inputs;
  require(input < inputs.names.size(), ErrorCode::usage, "uncertain input {} was asked for, expected one below {}",
          input, inputs.names.size());
  Matrix std(rows(), outputs());
  for (std::size_t i = 0; i < std.values().size(); ++i) std.values()[i] = inputs.std[i * inputs.names.size() + input];
  return std;
}

Matrix Predictive::input_covariance(std::size_t row) const {
  check_row(components_, row);
  Matrix covariance(outputs(), outputs());
  for (std::size_t a = 0; a < outputs(); ++a) {
    for (std::size_t b = 0; b < outputs(); ++b) covariance(a, b) = model::input_covariance(components_, row, a, b);
  }
  return covariance;
}

Matrix Predictive::total_covariance(std::size_t row) const {
  Matrix covariance = epistemic_covariance(row);
  const Matrix inputs = input_covariance(row);
  for (std::size_t i = 0; i < inputs.values().size(); ++i) covariance.values()[i] += inputs.values()[i];
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
  return quantiles(components_, true, probability);
}

Matrix Predictive::function_quantile(double probability) const {
  return quantiles(components_, false, probability);
}

Matrix Predictive::cdf(MatrixView values) const {
  return cdfs(components_, true, values);
}

Matrix Predictive::function_cdf(MatrixView values) const {
  return cdfs(components_, false, values);
}

Matrix Predictive::density(MatrixView values) const {
  check_points(components_, values);
  return for_each_marginal(components_, true, [&](const MixtureView& mixture, std::size_t row, std::size_t output) {
    return std::exp(math::mixture_log_density(mixture, values(row, output)));
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
