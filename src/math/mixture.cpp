// SPDX-License-Identifier: Apache-2.0

#include "math/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/normal.hpp"
#include "math/statistics.hpp"

namespace credens::math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// log sum_i exp(a_i), one value at a time.
class LogSum {
 public:
  void add(double value) {
    if (value == -infinity) return;
    if (value > largest_) {
      scaled_sum_ *= std::exp(largest_ - value);
      largest_ = value;
    }
    scaled_sum_ += value == largest_ ? 1 : std::exp(value - largest_);
  }
  double value() const { return largest_ + std::log(scaled_sum_); }

 private:
  double largest_ = -infinity;
  double scaled_sum_ = 0;  // sum_i exp(a_i - largest)
};

/// E|X| for X normal with mean `distance` and standard deviation `std`: A of the header.
double mean_absolute(double distance, double std) {
  const double size = std::abs(distance);
  if (std == 0) return size;
  const double z = size / std;
  return 2 * std * normal_density(z) + size * (1 - 2 * normal_survival(z));
}

/// E|Y - Y'| / 2 of two independent values: the integral of F (1 - F), by sums over a grid. F is smooth on the scale of
/// the smallest standard deviation s, so that with steps of s / 2 the error is below exp(-39).
class HalfMeanDifference {
 public:
  explicit HalfMeanDifference(const MixtureView& mixture) : mixture_(mixture) {
    constexpr double reach = 9;  // standard deviations beyond which a normal distribution has 1e-19 of its mass
    double smallest = infinity;
    double end = -infinity;
    for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
      if (mixture.weight[l] == 0) continue;
      smallest = std::min(smallest, mixture.std[l]);
      first_ = std::min(first_, mixture.mean[l] - reach * mixture.std[l]);
      end = std::max(end, mixture.mean[l] + reach * mixture.std[l]);
    }
    step_ = smallest / 2;
    points_ = (end - first_) / step_;
  }

  /// Points of the grid; infinite where a component is a step.
  double points() const { return points_; }

  double value() const {
    CompensatedSum sum;
    for (double i = 0; i <= points_; ++i) {
      const double x = first_ + i * step_;
      sum.add(mixture_cdf(mixture_, x) * mixture_survival(mixture_, x));
    }
    return step_ * sum.value();
  }

 private:
  const MixtureView& mixture_;
  double first_ = infinity;
  double step_ = 0;
  double points_ = 0;
};

/// Components from which sums over a grid may be faster than those over pairs.
constexpr std::size_t many_components = 128;

}  // namespace

double mixture_mean(const MixtureView& mixture) {
  return weighted_mean(mixture.mean, mixture.weight);
}

double mixture_variance(const MixtureView& mixture) {
  const double mean = mixture_mean(mixture);
  CompensatedSum sum;
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    const double deviation = mixture.mean[l] - mean;
    sum.add(mixture.weight[l] * (mixture.std[l] * mixture.std[l] + deviation * deviation));
  }
  return sum.value();
}

double mixture_cdf(const MixtureView& mixture, double value) {
  double sum = 0;
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    const double distance = value - mixture.mean[l];
    const double below = mixture.std[l] > 0 ? normal_cdf(distance / mixture.std[l]) : (distance >= 0 ? 1 : 0);
    sum += mixture.weight[l] * below;
  }
  return sum;
}

double mixture_survival(const MixtureView& mixture, double value) {
  double sum = 0;
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    const double distance = value - mixture.mean[l];
    const double above = mixture.std[l] > 0 ? normal_survival(distance / mixture.std[l]) : (distance >= 0 ? 0 : 1);
    sum += mixture.weight[l] * above;
  }
  return sum;
}

double mixture_log_density(const MixtureView& mixture, double value) {
  LogSum sum;
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    if (mixture.weight[l] == 0) continue;
    const double distance = value - mixture.mean[l];
    if (mixture.std[l] > 0) {
      const double z = distance / mixture.std[l];
      sum.add(std::log(mixture.weight[l]) - std::log(mixture.std[l]) - 0.5 * (log_two_pi + z * z));
    } else if (distance == 0) {
      return infinity;
    }
  }
  return sum.value();
}

double mixture_crps(const MixtureView& mixture, double value) {
  CompensatedSum score;
  if (mixture.weight.size() >= many_components) {
    const HalfMeanDifference spread(mixture);
    if (4 * spread.points() < static_cast<double>(mixture.weight.size())) {
      for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
        score.add(mixture.weight[l] * mean_absolute(value - mixture.mean[l], mixture.std[l]));
      }
      return std::max(score.value() - spread.value(), 0.0);
    }
  }
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    const double weight = mixture.weight[l];
    if (weight == 0) continue;
    score.add(weight * mean_absolute(value - mixture.mean[l], mixture.std[l]));
    score.add(-0.5 * weight * weight * mean_absolute(0, std::hypot(mixture.std[l], mixture.std[l])));
    for (std::size_t r = 0; r < l; ++r) {
      const double spread =
          mean_absolute(mixture.mean[l] - mixture.mean[r], std::hypot(mixture.std[l], mixture.std[r]));
      score.add(-weight * mixture.weight[r] * spread);
    }
  }
  return std::max(score.value(), 0.0);
}

double log_sum_exp(std::span<const double> values) {
  LogSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

}  // namespace credens::math
