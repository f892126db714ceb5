// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "math/mixture.hpp"
#include "math/normal.hpp"

namespace credens::math {

namespace {

constexpr double largest_double = std::numeric_limits<double>::max();

/// F(x) = p, looked at from the side on which the probability is small: F(x) = p up to the median, 1 - F(x) = 1 - p
/// above.
class QuantileEquation {
 public:
  /// The tail probability and the density at a point.
  struct Point {
    double tail = 0;
    double density = 0;
  };

  QuantileEquation(const MixtureView& mixture, double p)
      : mixture_(mixture),
        upper_(p > 0.5),
        tail_(upper_ ? 1 - p : p),
        score_(normal_quantile(p)),
        rounding_(std::numeric_limits<double>::epsilon() * (4 + score_ * score_) * tail_) {}

  double score() const { return score_; }

  Point at(double x) const {
    Point point;
    for (std::size_t l = 0; l < mixture_.weight.size(); ++l) {
      const double weight = mixture_.weight[l];
      const double distance = upper_ ? mixture_.mean[l] - x : x - mixture_.mean[l];
      if (mixture_.std[l] > 0) {
        const double z = distance / mixture_.std[l];
        point.tail += weight * normal_cdf(z);
        point.density += weight * normal_density(z) / mixture_.std[l];
      } else if (upper_ ? distance > 0 : distance >= 0) {
        point.tail += weight;
      }
    }
    return point;
  }

  bool reached(const Point& point) const { return upper_ ? point.tail <= tail_ : point.tail >= tail_; }

  /// Close enough for m + s z of a single component to stand as it is, rather than the double above it.
  bool nearly_solved_by(const Point& point) const { return std::abs(point.tail - tail_) <= 1e-10 * tail_; }

  /// Whether a point solves the equation to rounding and F is steep enough there to say where: a plateau is no answer.
  bool solved_by(const Point& point, double width) const {
    constexpr double flat = 0x1p-20;
    return std::abs(point.tail - tail_) <= rounding_ && point.density * width >= flat * tail_;
  }

  /// Newton's step towards the solution of Phi^-1(F(x)) = Phi^-1(p), an equation that is linear for one
  /// component. Goes on past it by what rounding may hide, at least to the next double, so that the bracket closes from
  /// both sides. Not finite where F is 0, 1 or flat.
  double beyond_solution(double x, const Point& point) const {
    const double direction = reached(point) ? -1 : 1;
    const double score = upper_ ? -normal_quantile(point.tail) : normal_quantile(point.tail);
    const double expected = direction * (score_ - score) * normal_density(score) / point.density;
    const double distance = std::max(expected, 0.0) + rounding_ / point.density;  // max keeps a NaN in its first place
    const double next = x + direction * distance;
    return next == x ? std::nextafter(x, direction * largest_double) : next;
  }

 private:
  const MixtureView& mixture_;
  bool upper_;
  double tail_;
  double score_;
  double rounding_;  // of a tail probability: an error of epsilon in z changes it by the fraction z^2 epsilon
};

struct Bracket {
  double low;
  double high;

  double width() const { return high - low; }
  bool contains(double x) const { return low < x && x < high; }
  bool can_shrink() const { return std::nextafter(low, high) < high; }
};

/// From the smallest to the largest quantile of the components: at the ends F <= p and F >= p, apart from their own
/// rounding.
Bracket component_quantiles(const MixtureView& mixture, double score) {
  Bracket bracket{largest_double, -largest_double};
  for (std::size_t l = 0; l < mixture.weight.size(); ++l) {
    if (mixture.weight[l] == 0) continue;
    const double quantile = mixture.mean[l] + mixture.std[l] * score;
    bracket.low = std::max(std::min(bracket.low, quantile), -largest_double);
    bracket.high = std::min(std::max(bracket.high, quantile), largest_double);
  }
  return bracket;
}

/// Halves the number of doubles in the bracket rather than its width, so that any bracket shrinks to neighbours in
/// about 100 steps. Scaling the bracket by a power of two scales the result, hence 2^-64 rather than half of the
/// doubles next to zero.
double logarithmic_midpoint(const Bracket& bracket) {
  if (bracket.low < 0 && bracket.high > 0) return 0;
  if (bracket.high <= 0) return -logarithmic_midpoint({-bracket.high, -bracket.low});
  if (bracket.low == 0) return std::max(bracket.high * 0x1p-64, std::numeric_limits<double>::denorm_min());
  return std::bit_cast<double>(
      std::midpoint(std::bit_cast<std::uint64_t>(bracket.low), std::bit_cast<std::uint64_t>(bracket.high)));
}

/// The mixture as if it were one normal.
double moment_matched_quantile(const MixtureView& mixture, double score) {
  return mixture_mean(mixture) + score * std::sqrt(mixture_variance(mixture));
}

}  // namespace

double mixture_quantile(const MixtureView& mixture, double p) {
  constexpr int newton_budget = 32;
  const QuantileEquation equation(mixture, p);
  Bracket bracket = component_quantiles(mixture, equation.score());
  const auto lowest = equation.at(bracket.low);
  if (equation.reached(lowest)) return bracket.low;
  if (bracket.low == bracket.high && equation.nearly_solved_by(lowest)) return bracket.low;
  if (!equation.reached(equation.at(bracket.high))) return std::nextafter(bracket.high, largest_double);

  const double width = bracket.width();
  double x = moment_matched_quantile(mixture, equation.score());
  if (!bracket.contains(x)) x = std::midpoint(bracket.low, bracket.high);
  double last_step = width;
  double step_before = width;
  for (int iteration = 0; bracket.can_shrink(); ++iteration) {
    const auto point = equation.at(x);
    if (equation.solved_by(point, width)) return x;
    (equation.reached(point) ? bracket.high : bracket.low) = x;
    double next = equation.beyond_solution(x, point);
    if (iteration >= newton_budget) {
      next = logarithmic_midpoint(bracket);
    } else if (!bracket.contains(next) || std::abs(next - x) > 0.5 * step_before) {
      next = std::midpoint(bracket.low, bracket.high);
    }
    step_before = std::exchange(last_step, std::abs(next - x));
    x = next;
  }
  return bracket.high;
}

double mixture_normal_score(const MixtureView& mixture, double value) {
  constexpr double farthest = 37;
  const double below = mixture_cdf(mixture, value);
  const double score = below <= 0.5 ? normal_quantile(below) : -normal_quantile(mixture_survival(mixture, value));
  if (std::abs(score) <= farthest) return score;
  return std::copysign(std::numeric_limits<double>::infinity(), score);
}

double mixture_at_score(const MixtureView& mixture, double score) {
  if (score <= 0) return mixture_quantile(mixture, normal_cdf(score));
  std::vector<double> mirrored(mixture.mean.begin(), mixture.mean.end());
  for (double& mean : mirrored) mean = -mean;
  return -mixture_quantile({mixture.weight, mirrored, mixture.std}, normal_cdf(-score));
}

}  // namespace credens::math
