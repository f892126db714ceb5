// SPDX-License-Identifier: Apache-2.0

#include <credens/conformity.hpp>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "math/mixture.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

void check_limits(const ToleranceLimits& limits) {
  for (const auto& limit : {limits.lower, limits.upper}) {
    base::require(!limit || std::isfinite(*limit), ErrorCode::usage, "a limit is {}, expected a finite number",
                  limit.value_or(0));
  }
  base::require(!limits.lower || !limits.upper || *limits.lower < *limits.upper, ErrorCode::usage,
                "the lower limit {} is not below the upper limit {}", limits.lower.value_or(0),
                limits.upper.value_or(0));
}

void check(const Predictive& predictive, std::span<const ToleranceLimits> limits, const ConformityOptions& options) {
  base::require(limits.size() == predictive.outputs(), ErrorCode::usage,
                "limits of {} outputs are given, expected {}, one for each output", limits.size(),
                predictive.outputs());
  std::ranges::for_each(limits, check_limits);
  base::require(std::ranges::any_of(limits, &ToleranceLimits::is_given), ErrorCode::usage,
                "no limit is given, expected a lower or an upper one");
  base::require(options.risk > 0 && options.risk < 0.5, ErrorCode::usage,
                "risk is {}, expected a number between 0 and 0.5", options.risk);
}

/// P(lower <= Y <= upper) from the smaller tails, so that neither a probability near 0 nor one near 1 loses digits.
double probability_within(const math::MixtureView& mixture, const ToleranceLimits& limits) {
  if (!limits.lower) return limits.upper ? math::mixture_cdf(mixture, *limits.upper) : 1;
  // A value at the limit itself conforms: only steps, of functions known for certain, have any.
  const double from_lower = std::nextafter(*limits.lower, -HUGE_VAL);
  if (!limits.upper) return math::mixture_survival(mixture, from_lower);
  const double below = math::mixture_cdf(mixture, from_lower);
  const double above = math::mixture_survival(mixture, *limits.upper);
  if (below > 0.5) return math::mixture_survival(mixture, from_lower) - above;
  if (above > 0.5) return math::mixture_cdf(mixture, *limits.upper) - below;
  return 1 - below - above;
}

bool lies_within(double value, const ToleranceLimits& limits) {
  return (!limits.lower || value >= *limits.lower) && (!limits.upper || value <= *limits.upper);
}

Statement statement_of(double probability, bool mean_conforms, const ConformityOptions& options) {
  const bool is_guarded = options.rule == DecisionRule::guarded;
  if (mean_conforms) {
    return is_guarded && probability < 1 - options.risk ? Statement::conditional_pass : Statement::pass;
  }
  return is_guarded && probability > options.risk ? Statement::conditional_fail : Statement::fail;
}

}  // namespace

Conformity conformity(const Predictive& predictive, std::span<const ToleranceLimits> limits,
                      const ConformityOptions& options) {
  check(predictive, limits, options);
  const Matrix zeros(predictive.rows(), predictive.outputs());
  Conformity result{.probability = zeros, .guard_lower = zeros, .guard_upper = zeros, .statement = {}};
  model::MarginalReader reader(predictive.components());
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t output = 0; output < predictive.outputs(); ++output) {
      const math::MixtureView mixture = reader.gather(row, output, options.of == Measurand::observation);
      const double mean = math::mixture_mean(mixture);
      const double probability = probability_within(mixture, limits[output]);
      result.probability(row, output) = probability;
      result.statement.push_back(statement_of(probability, lies_within(mean, limits[output]), options));
      if (options.rule == DecisionRule::simple) continue;
      result.guard_lower(row, output) = mean - math::mixture_quantile(mixture, options.risk);
      result.guard_upper(row, output) = math::mixture_quantile(mixture, 1 - options.risk) - mean;
    }
  }
  return result;
}

}  // namespace credens
