// SPDX-License-Identifier: Apache-2.0

#include "data/row_checks.hpp"

#include <cmath>

#include "base/check.hpp"

namespace credens::data {

namespace {

constexpr double largest_scaled_noise = 1e150;  // the square is still finite

/// The end of a sentence about noise that is no use; `scale` is 0 where it is not known.
std::string fault_of(double noise, double scale) {
  if (!(noise > 0)) return "expected a number above 0";
  if (scale > 0 && !(noise / scale < largest_scaled_noise)) {
    return fmt::format("too large beside the target's scale {}", scale);
  }
  return std::isnormal(noise * noise) ? "" : "whose square is no usable variance";
}

}  // namespace

void check_weights(std::span<const double> weights, const WeightName& name) {
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (std::isfinite(weights[row]) && weights[row] >= 0) continue;
    base::fail(ErrorCode::data, "{} is {}, expected a number that is not negative", name(row), weights[row]);
  }
}

void check_weight_total(double total, const std::string& source) {
  const std::string where = source.empty() ? "" : source + ": ";
  base::require(total > 0, ErrorCode::data, "{}all weights are 0, expected at least one above 0", where);
  base::require(std::isfinite(total), ErrorCode::data, "{}the sum of the weights is beyond the largest double", where);
}

void check_noise(MatrixView noise_std, std::span<const double> target_scale, const NoiseName& name) {
  for (std::size_t row = 0; row < noise_std.rows(); ++row) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      const std::string fault = fault_of(noise_std(row, k), target_scale.empty() ? 0 : target_scale[k]);
      if (!fault.empty()) base::fail(ErrorCode::data, "{} is {}, {}", name(row, k), noise_std(row, k), fault);
    }
  }
}

}  // namespace credens::data
