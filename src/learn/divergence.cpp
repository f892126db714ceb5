// SPDX-License-Identifier: Apache-2.0

#include "learn/divergence.hpp"

#include <algorithm>
#include <cmath>

namespace credens::learn {

void PrecisionSums::add(double u, double y, double v) {
  precision += u / v;
  first += u * y / v;
  second += u * y * y / v;
  logs += u * std::log(v);
  weights += u;
}

double PrecisionSums::squared_error() const {
  return precision > 0 ? std::max(0.0, second - first * first / precision) : 0;
}

namespace {

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

double variance_of(NoiseKind noise, double learned, double known) {
  return noise == NoiseKind::known ? std::max(known, model::noise_floor) : learned + known;
}

void add(ConstantGaussian& constant, const PrecisionSums& sums) {
  constant.square_part += 0.5 * sums.squared_error() / sums.weights;
  constant.log_part += 0.5 * sums.logs / sums.weights;
}

double limit_of(const ConstantGaussian& constant, std::size_t outputs) {
  const double excess = std::max(static_cast<double>(outputs), constant.square_part);
  return constant.square_part + constant.log_part + excess;
}

}  // namespace

ConstantGaussian constant_gaussian(const TrainingSet& data, NoiseKind noise) {
  ConstantGaussian constant;
  for (std::size_t k = 0; k < data.outputs; ++k) {
    const double learned = std::max(target_variance(data, k), 1.0);
    add(constant, output_sums(data, k, [&](std::size_t i) { return variance_of(noise, learned, data.known(i, k)); }));
  }
  return constant;
}

double divergence_limit(const TrainingSet& data, NoiseKind noise) {
  return limit_of(constant_gaussian(data, noise), data.outputs);
}

void DivergenceSums::add(const TrainingSet& data, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < first + count; ++i) {
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      outputs_[k].add(data.weight(i), data.targets[i * data.outputs + k], variance_of(noise_, 1, data.known(i, k)));
    }
  }
}

double DivergenceSums::limit() const {
  ConstantGaussian constant;
  for (const PrecisionSums& sums : outputs_) learn::add(constant, sums);
  return limit_of(constant, outputs_.size());
}

}  // namespace credens::learn
