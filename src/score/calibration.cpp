// SPDX-License-Identifier: Apache-2.0

#include "score/calibration.hpp"

#include <cmath>

namespace credens::scoring {

void Calibration::add(double pit, double weight) {
  std::size_t index = 0;
  while (index < levels && pit > level(index)) ++index;
  weight_[index].add(weight);
}

std::array<double, Calibration::levels> Calibration::shares() const {
  math::CompensatedSum total;
  for (const auto& weight : weight_) total.add(weight.value());
  math::CompensatedSum below;
  std::array<double, levels> shares{};
  for (std::size_t i = 0; i < levels; ++i) {
    below.add(weight_[i].value());
    shares[i] = below.value() / total.value();
  }
  return shares;
}

double Calibration::error() const {
  const std::array<double, levels> found = shares();
  double sum = 0;
  for (std::size_t i = 0; i < levels; ++i) sum += std::abs(found[i] - level(i));
  return sum / levels;
}

}  // namespace credens::scoring
