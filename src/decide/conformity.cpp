// SPDX-License-Identifier: Apache-2.0

#include <credens/conformity.hpp>

#include "base/check.hpp"
#include "math/mixture.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

void check_limits(const ToleranceLimits& limits) {
  base::require(limits.lower || limits.upper, ErrorCode::usage, "no limit is given, expected a lower or an upper one");
  for (const auto& limit : {limits.lower, limits.upper}) {
    base::require(!limit || std::isfinite(*limit), ErrorCode::usage, "a limit is not finite");
  }
  base::require(!limits.lower || !limits.upper || *limits.lower < *limits.upper, ErrorCode::usage,
                "the lower limit {} is not below the upper limit {}", limits.lower.value_or(0),
                limits.upper.value_or(0));
}

/// P(lower <= Y <= upper) from the smaller tails, so that neither a probability near 0 nor one near 1 loses digits.
double probability_within(const math::MixtureView& mixture, const ToleranceLimits& limits) {
  if (!limits.lower) return math::mixture_cdf(mixture, *limits.upper);
  if (!limits.upper) return math::mixture_survival(mixture, *limits.lower);
  const double below = math::mixture_cdf(mixture, *limits.lower);
  const double above = math::mixture_survival(mixture, *limits.upper);
  if (below > 0.5) return math::mixture_survival(mixture, *limits.lower) - above;
  if (above > 0.5) return math::mixture_cdf(mixture, *limits.upper) - below;
  return 1 - below - above;
}

}  // namespace

Matrix conformity_probability(const Predictive& predictive, const ToleranceLimits& limits, Measurand of) {
  check_limits(limits);
  model::MarginalReader reader(predictive.components());
  Matrix probability(predictive.rows(), predictive.outputs());
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t output = 0; output < predictive.outputs(); ++output) {
      const math::MixtureView mixture = reader.gather(row, output, of == Measurand::observation);
      probability(row, output) = probability_within(mixture, limits);
    }
  }
  return probability;
}

}  // namespace credens
