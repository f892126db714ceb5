// SPDX-License-Identifier: Apache-2.0

#include "learn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credens::learn {

namespace {

/// The first steps are small because Adam's moments do not know the gradients yet.
double warm_cosine(double rate, const StepPlace& place) {
  constexpr std::size_t longest_warm_up = 50;
  const std::size_t warm_up = std::min(longest_warm_up, place.steps / 10);
  if (place.step < warm_up) return rate * static_cast<double>(place.step + 1) / static_cast<double>(warm_up + 1);
  const double done = static_cast<double>(place.step - warm_up) / static_cast<double>(place.steps - warm_up);
  return rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

}  // namespace

double scheduled_rate(Schedule schedule, double rate, const StepPlace& place) {
  constexpr std::size_t last_epochs = 5;
  const std::size_t late_from = place.epochs - std::min(last_epochs, place.epochs);
  // 1 in the first of the last epochs.
  const std::size_t late = place.epoch < late_from ? 0 : place.epoch - late_from + 1;
  switch (schedule) {
    case Schedule::constant:
      return rate;
    case Schedule::drop_last_five:
      return late == 0 ? rate : 0.1 * rate;
    case Schedule::halve_last_five:
      return std::ldexp(rate, -static_cast<int>(late));
    case Schedule::cosine:
      return warm_cosine(rate, place);
  }
  return rate;
}

}  // namespace credens::learn
