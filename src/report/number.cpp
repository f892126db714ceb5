// SPDX-License-Identifier: Apache-2.0

#include "report/number.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace credens::report {
namespace {

constexpr const char* not_finite = "–";

/// Outside this range of powers of ten an exponent is shorter than the zeros.
bool fits_without_exponent(int exponent) {
  return exponent >= -5 && exponent < 7;
}

}  // namespace

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return not_finite;
  return fixed(100 * fraction, 1) + " %";
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite;
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return not_finite;
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent =
      std::stoi(scientific.substr(scientific.find('e') + 1));  // after rounding: 9.99 may have become 10
  return fits_without_exponent(exponent) ? fixed(value, std::max(0, digits - 1 - exponent)) : scientific;
}

}  // namespace credens::report
