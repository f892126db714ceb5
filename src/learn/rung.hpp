// SPDX-License-Identifier: Apache-2.0
//
// The rung of the posterior ladder that predicts held-out rows best.

#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "learn/held_out.hpp"
#include "learn/widen.hpp"

namespace credens::learn {

struct RungChoice {
  PosteriorKind posterior = PosteriorKind::isotropic;
  std::string reason;
};

/// The log density of a row that no member was held out of.
constexpr double no_density = -std::numeric_limits<double>::infinity();

/// The mean of differences, and its standard error.
struct Gain {
  double mean = 0;
  double standard_error = 0;
};

/// How much larger the log densities of the set's rows are than those of `base`, where these are known. Rows count by
/// their weight; rows of one unit are no independent witnesses: they count as one that says their mean and has their
/// weights together.
Gain gain_of(const JudgingRows& rows, std::span<const double> better, std::span<const double> base);

/// The rungs that are tried, isotropic first. Those above it need a prior, and the full one P x P numbers per member,
/// which wide layers make too many to try unasked.
std::vector<PosteriorKind> candidate_rungs(std::span<const model::Member> members, double prior_precision);

/// Isotropic, unless another rung's mean log density of the held-out rows is better by more than twice the standard
/// error of the difference, row by row. `sums` are those of the members over all rows.
RungChoice choose_rung(const JudgingRows& rows, const FitOptions& options, std::span<const model::Member> members,
                       std::span<const double> weights, std::span<const MemberSums> sums);

}  // namespace credens::learn
