// SPDX-License-Identifier: Apache-2.0
//
// Split conformal intervals by normal scores of the exact mixture.
//
// Letters: n calibration rows of a group, z_(1) <= ... <= z_(n) their scores, which cut the line into n + 1 gaps. A row
// that is exchangeable with them falls into each gap with probability 1 / (n + 1).

#include <credens/guarantee.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "decide/ignorance.hpp"
#include "decide/promised_ends.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "model/marginal.hpp"

namespace credens {

namespace {

using decide::PromisedEnds;

/// Gaps of n + 1 that an interval holds: ceil(level (n + 1)), apart from the rounding of the product.
double held_gaps(std::size_t rows, double level) {
  constexpr double rounding = 1e-14;
  const double gaps = static_cast<double>(rows) + 1;
  return std::ceil(level * gaps * (1 - rounding));
}

/// Gaps that an interval leaves out; finite ends leave out one each.
std::size_t left_out_gaps(std::size_t rows, double level) {
  return rows + 1 - static_cast<std::size_t>(held_gaps(rows, level));
}

std::size_t least_left_out(Guarantee guarantee) {
  return guarantee == Guarantee::joint ? 1 : 2;
}

std::string named(const PromiseGroup& group) {
  return group.name.empty() ? "there are" : fmt::format("group {} has", base::quoted(group.name));
}

void check_enough(const PromiseGroup& group, double level, Guarantee guarantee) {
  const auto rows = static_cast<double>(group.rows());
  const auto ends = static_cast<double>(least_left_out(guarantee));
  base::require(group.rows() >= rows_needed(level, guarantee), ErrorCode::usage,
                "level {} needs {} calibration rows, but {} {}, which can promise at most {:.4g}", level,
                rows_needed(level, guarantee), named(group), group.rows(),
                std::max(0.0, (rows + 1 - ends) / (rows + 1)));
}

double order_statistic(std::vector<double> values, std::size_t rank) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// [z_(a), z_(b)] with a gaps below, b - a between and the rest, at least as many as a, above.
PromisedEnds ends_of(const PromiseGroup& group, std::size_t output, double level) {
  std::vector<double> scores(group.rows());
  for (std::size_t row = 0; row < scores.size(); ++row) scores[row] = group.scores(row, output);
  const std::size_t left_out = left_out_gaps(scores.size(), level);
  const std::size_t below = left_out / 2;
  return {order_statistic(scores, below), order_statistic(scores, scores.size() + 1 - (left_out - below))};
}

/// [-z, z] for all outputs alike: z is an order statistic of the largest |score| of each row.
PromisedEnds joint_ends_of(const PromiseGroup& group, double level) {
  std::vector<double> farthest(group.rows());
  for (std::size_t row = 0; row < farthest.size(); ++row) {
    for (const double score : group.scores.row(row)) farthest[row] = std::max(farthest[row], std::abs(score));
  }
  const double end = order_statistic(farthest, farthest.size() + 1 - left_out_gaps(farthest.size(), level));
  return {-end, end};
}

}  // namespace

std::vector<PromisedEnds> decide::promised_ends(const PromiseGroup& group, double level, Guarantee guarantee) {
  check_enough(group, level, guarantee);
  std::vector<PromisedEnds> ends;
  for (std::size_t output = 0; output < group.scores.cols(); ++output) {
    ends.push_back(guarantee == Guarantee::joint ? joint_ends_of(group, level) : ends_of(group, output, level));
    base::require(std::isfinite(ends.back().lower) && std::isfinite(ends.back().upper), ErrorCode::data,
                  "no finite interval of level {} can be promised: too many calibration rows lie farther than 37 "
                  "standard deviations from what the model predicts",
                  level);
  }
  return ends;
}

namespace {

const Promise& promise_of(const Ensemble& ensemble) {
  base::require(ensemble.promise().has_value(), ErrorCode::usage,
                "the model has no promise: guaranteed intervals need `credens calibrate` with rows that it has not "
                "seen");
  return *ensemble.promise();
}

/// The number of the group of each row.
std::vector<std::size_t> groups_of(const Ensemble& ensemble, const Predictive& predictive,
                                   std::span<const std::string> names) {
  const Promise& promise = promise_of(ensemble);
  std::vector<std::size_t> groups(predictive.rows());
  if (!promise.edges.empty()) {
    const std::vector<double> ignorance = decide::standardised_ignorance(ensemble, predictive);
    for (std::size_t row = 0; row < groups.size(); ++row) {
      const auto above = std::ranges::upper_bound(promise.edges, ignorance[row]);
      groups[row] = static_cast<std::size_t>(above - promise.edges.begin());
    }
  }
  if (promise.column.empty()) return groups;
  base::require(names.size() == groups.size(), ErrorCode::usage,
                "the promise is by {}, but {} of {} rows have a group given", promise.column, names.size(),
                groups.size());
  for (std::size_t row = 0; row < groups.size(); ++row) {
    const PromiseGroup* const group = promise.find(names[row]);
    base::require(group != nullptr, ErrorCode::data, "row {}: {} is {}, for which nothing is promised", row,
                  promise.column, base::quoted(names[row]));
    groups[row] = static_cast<std::size_t>(group - promise.groups.data());
  }
  return groups;
}

Interval intervals_of(const Ensemble& ensemble, const Predictive& predictive, double level,
                      std::span<const std::string> names, Guarantee guarantee) {
  base::check_probability(level, "level");
  const std::vector<std::size_t> groups = groups_of(ensemble, predictive, names);
  std::vector<std::vector<PromisedEnds>> ends;
  for (const PromiseGroup& group : promise_of(ensemble).groups) {
    ends.push_back(decide::promised_ends(group, level, guarantee));
  }

  Interval interval{Matrix(predictive.rows(), predictive.outputs()), Matrix(predictive.rows(), predictive.outputs())};
  model::MarginalReader reader(predictive.components());
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    for (std::size_t output = 0; output < predictive.outputs(); ++output) {
      const math::MixtureView mixture = reader.gather(row, output);
      const PromisedEnds& scores = ends[groups[row]][output];
      interval.lower(row, output) = math::mixture_at_score(mixture, scores.lower);
      interval.upper(row, output) = math::mixture_at_score(mixture, scores.upper);
    }
  }
  return interval;
}

}  // namespace

double CoverageLaw::quantile(double p) const {
  base::check_probability(p, "p");
  return math::beta_quantile(a, b, p);
}

std::size_t rows_needed(double level, Guarantee guarantee) {
  base::check_probability(level, "level");
  const std::size_t ends = least_left_out(guarantee);
  auto rows = static_cast<std::size_t>(std::max(0.0, std::floor(static_cast<double>(ends) / (1 - level)) - 2));
  while (left_out_gaps(rows, level) < ends) ++rows;
  return rows;
}

CoverageLaw coverage_law(std::size_t rows, double level, Guarantee guarantee) {
  base::require(rows >= rows_needed(level, guarantee), ErrorCode::usage, "level {} needs {} calibration rows, found {}",
                level, rows_needed(level, guarantee), rows);
  return {held_gaps(rows, level), static_cast<double>(left_out_gaps(rows, level))};
}

std::vector<double> coverage_before(const PromiseGroup& group, double level) {
  base::check_probability(level, "level");
  const double end = -math::normal_quantile((1 - level) / 2);
  std::vector<double> share(group.scores.cols());
  for (std::size_t output = 0; output < share.size(); ++output) {
    std::size_t inside = 0;
    for (std::size_t row = 0; row < group.rows(); ++row) inside += std::abs(group.scores(row, output)) <= end ? 1 : 0;
    share[output] = static_cast<double>(inside) / static_cast<double>(group.rows());
  }
  return share;
}

Interval guaranteed_interval(const Ensemble& ensemble, const Predictive& predictive, double level,
                             std::span<const std::string> groups) {
  return intervals_of(ensemble, predictive, level, groups, Guarantee::interval);
}

Interval guaranteed_joint_interval(const Ensemble& ensemble, const Predictive& predictive, double level,
                                   std::span<const std::string> groups) {
  base::require(predictive.outputs() > 1, ErrorCode::usage,
                "a joint interval is for several outputs, but the model has one: ask for guaranteed");
  return intervals_of(ensemble, predictive, level, groups, Guarantee::joint);
}

}  // namespace credens
