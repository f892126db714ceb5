// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/mixture.hpp"

namespace credens::math {

namespace {

/// Least tail probability that a quantile is asked for.
constexpr double least_tail = 1e-300;

/// The interval with this probability whose lower tail is `tail`.
MixtureInterval interval_above(const MixtureView& mixture, double level, double tail) {
  const double upper = std::min(level + tail, 1 - std::numeric_limits<double>::epsilon() / 2);
  return {mixture_quantile(mixture, std::max(tail, least_tail)), mixture_quantile(mixture, upper)};
}

double width(const MixtureInterval& interval) {
  return interval.upper - interval.lower;
}

/// P(|Y - centre| > distance).
double beyond(const MixtureView& mixture, double centre, double distance) {
  return mixture_cdf(mixture, centre - distance) + mixture_survival(mixture, centre + distance);
}

}  // namespace

/// A mixture may have several modes, so intervals are tried along the lower tail before the best one is refined: at the
/// shortest the density is the same at both ends.
MixtureInterval mixture_shortest_interval(const MixtureView& mixture, double level) {
  constexpr int parts = 32;
  const double part = (1 - level) / parts;
  int best = parts / 2;
  MixtureInterval shortest = interval_above(mixture, level, best * part);
  for (int i = 1; i < parts; ++i) {
    const MixtureInterval found = interval_above(mixture, level, i * part);
    if (width(found) >= width(shortest)) continue;
    shortest = found;
    best = i;
  }
  double low = (best - 1) * part;
  double high = (best + 1) * part;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    const MixtureInterval found = interval_above(mixture, level, middle);
    if (width(found) < width(shortest)) shortest = found;
    const bool is_too_far_up = mixture_log_density(mixture, found.lower) > mixture_log_density(mixture, found.upper);
    (is_too_far_up ? high : low) = middle;
  }
  return shortest;
}

double mixture_half_width(const MixtureView& mixture, double centre, double level) {
  const MixtureInterval symmetric = interval_above(mixture, level, (1 - level) / 2);
  double low = 0;
  double high = std::max(std::abs(symmetric.lower - centre), std::abs(symmetric.upper - centre));
  for (int step = 0; step < 100 && std::nextafter(low, high) < high; ++step) {
    const double middle = low + (high - low) / 2;
    (beyond(mixture, centre, middle) > 1 - level ? low : high) = middle;
  }
  return high;
}

}  // namespace credens::math
