// SPDX-License-Identifier: Apache-2.0

#include "learn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credens::learn {

double scheduled_rate(Schedule schedule, double rate, std::size_t epoch, std::size_t epochs) {
  constexpr std::size_t last_epochs = 5;
  const std::size_t late_from = epochs - std::min(last_epochs, epochs);
  const std::size_t late = epoch < late_from ? 0 : epoch - late_from + 1;  // 1 in the first of the last epochs
  switch (schedule) {
    case Schedule::constant:
      return rate;
    case Schedule::drop_last_five:
      return late == 0 ? rate : 0.1 * rate;
    case Schedule::halve_last_five:
      return std::ldexp(rate, -static_cast<int>(late));
    case Schedule::cosine:
      return rate * 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(epoch) / static_cast<double>(epochs)));
  }
  return rate;
}

}  // namespace credens::learn
