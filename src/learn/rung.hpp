// SPDX-License-Identifier: Apache-2.0
//
// The rung of the posterior ladder that predicts best what members did not see.

#pragma once

#include <string>

#include "learn/held_out.hpp"
#include "learn/train_members.hpp"
#include "learn/training_set.hpp"

namespace credens::learn {

struct RungChoice {
  PosteriorKind posterior = PosteriorKind::isotropic;
  std::string reason;
};

/// Isotropic, unless another rung's mean log density of the rows held out is better by more than twice the standard
/// error of the difference, row by row.
RungChoice choose_rung(const TrainingSet& rows, const TrainingRows& train, const FitOptions& options,
                       const TrainedMembers& trained);

/// By those of the rows that members did not see, where there are more rows than a window holds.
RungChoice choose_rung(const JudgingRows& rows, const TrainingRows& train, const FitOptions& options,
                       const TrainedMembers& trained);

}  // namespace credens::learn
