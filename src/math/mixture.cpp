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
