// SPDX-License-Identifier: Apache-2.0
//
// What the paper's figures and tables show of an ensemble: coverages, errors and the ratio of its two uncertainties,
// and the numbers in which its theory can be seen.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <string>
#include <vector>

#include "study/result.hpp"

namespace credens::study {

/// Where measurements belong.
struct Setting {
  std::string series;
  std::string data;
  std::size_t rows = 0;
};

/// Held-back rows. With `truth` errors are those of the regression function, in the units of the data; without it those
/// of the predicted targets, divided by `target_std`.
struct TestRows {
  MatrixView targets;
  MatrixView truth = {};
  std::vector<double> target_std = {};
};

/// What the first members of an ensemble predict by themselves, each with the same weight. A member knows nothing of
/// its siblings, so this is the ensemble that a fit of so many members gives.
Predictive first_members(const Predictive& all, std::size_t members);

/// The scores of the extended ensemble of all members and of the classical one without their widths.
std::vector<Measurement> measure(const Setting& setting, const Predictive& extended, const TestRows& rows);

std::vector<Measurement> measurements_of(const Setting& setting, std::size_t members, const std::string& method,
                                         const Scores& scores);

/// gamma, mean over members; the mean over members and training rows of gamma |phi|^2 / s^2, which is p/N (1 - gamma
/// lambda); and the ELBO of each rung, per training row.
std::vector<Measurement> measure_widths(const Setting& setting, const Ensemble& wide, const Dataset& train,
                                        int threads);

}  // namespace credens::study
