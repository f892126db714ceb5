// SPDX-License-Identifier: Apache-2.0
//
// Activation functions by their formulas, in double.

#pragma once

#include <credens/network.hpp>

#include <cmath>
#include <numbers>

namespace credens::test {

inline double plain_activation(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::gelu:
      return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::elu:
      return x > 0 ? x : std::exp(x) - 1;
  }
  return x;
}

}  // namespace credens::test
