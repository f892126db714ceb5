// SPDX-License-Identifier: Apache-2.0
//
// The rung of the posterior ladder that predicts held-out rows best.

#pragma once

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

/// The rungs that are tried, isotropic first. Those above it need a prior, and the full one P x P numbers per member,
/// which wide layers make too many to try unasked.
std::vector<PosteriorKind> candidate_rungs(std::span<const model::Member> members, double prior_precision);

/// Isotropic, unless another rung's mean log density of the held-out rows is better by more than twice the standard
/// error of the difference, row by row. `sums` are those of the members over all rows.
RungChoice choose_rung(const JudgingRows& rows, const FitOptions& options, std::span<const model::Member> members,
                       std::span<const double> weights, std::span<const MemberSums> sums);

}  // namespace credens::learn
