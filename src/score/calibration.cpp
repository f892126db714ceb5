// SPDX-License-Identifier: Apache-2.0

#include "score/calibration.hpp"

#include <cmath>

namespace credens::scoring {

void Calibration::add(double pit, double weight) {
  std::size_t index = 0;
  while (index < levels && pit > level(index)) ++index;
  weight_[index].add(weight);
}

double Calibration::error() const {
  math::CompensatedSum total;
  for (const auto& weight : weight_) total.add(weight.value());
  math::CompensatedSum below;
  double sum = 0;
  for (std::size_t i = 0; i < levels; ++i) {
    below.add(weight_[i].value());
    sum += std::abs(below.value() / total.value() - level(i));
  }
  return sum / levels;
}

}  // namespace credens::scoring
