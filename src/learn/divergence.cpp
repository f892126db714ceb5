// SPDX-License-Identifier: Apache-2.0

#include "learn/divergence.hpp"

#include <algorithm>
#include <cmath>

namespace credens::learn {

namespace {

/// Sums over the rows of one output, weighted with u_i / v_i: what the constant mean and its squared error follow from.
struct PrecisionSums {
  double precision = 0;  ///< sum u / v
  double first = 0;      ///< sum u y / v
  double second = 0;     ///< sum u y^2 / v
  double logs = 0;       ///< sum u log v
  double weights = 0;    ///< sum u

  void add(double u, double y, double v) {
    precision += u / v;
    first += u * y / v;
    second += u * y * y / v;
    logs += u * std::log(v);
    weights += u;
  }
  double squared_error() const { return precision > 0 ? std::max(0.0, second - first * first / precision) : 0; }
};

template <class Variance>
PrecisionSums output_sums(const TrainingSet& data, std::size_t k, const Variance& variance_of_row) {
  PrecisionSums sums;
  for (std::size_t i = 0; i < data.rows; ++i) {
    sums.add(data.weight(i), data.targets[i * data.outputs + k], variance_of_row(i));
  }
  return sums;
}

double target_variance(const TrainingSet& data, std::size_t k) {
  const PrecisionSums sums = output_sums(data, k, [](std::size_t) { return 1.0; });
  return sums.squared_error() / sums.weights;
}

}  // namespace

ConstantGaussian constant_gaussian(const TrainingSet& data, NoiseKind noise) {
  ConstantGaussian constant;
  for (std::size_t k = 0; k < data.outputs; ++k) {
    const double learned = std::max(target_variance(data, k), 1.0);
    const PrecisionSums sums = output_sums(data, k, [&](std::size_t i) {
      const double known = data.known(i, k);
      return noise == NoiseKind::known ? std::max(known, model::noise_floor) : learned + known;
    });
    constant.square_part += 0.5 * sums.squared_error() / sums.weights;
    constant.log_part += 0.5 * sums.logs / sums.weights;
  }
  return constant;
}

double divergence_limit(const TrainingSet& data, NoiseKind noise) {
  const ConstantGaussian constant = constant_gaussian(data, noise);
  const double excess = std::max(static_cast<double>(data.outputs), constant.square_part);
  return constant.square_part + constant.log_part + excess;
}

}  // namespace credens::learn
