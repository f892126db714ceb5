// SPDX-License-Identifier: Apache-2.0
//
// The paper's Table 2 as runs: ensembles of 5 and 10 members on real data, over splits or seeds.

#pragma once

#include <credens/fit.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "study/measure.hpp"
#include "study/real_data.hpp"
#include "study/run.hpp"

namespace credens::study {

/// The paper leaves open where its lambda stands.
enum class LambdaReading {
  mean_loss,  ///< beside the mean loss: the prior precision is N lambda
  literal     ///< as its equation of the prior has it: the prior precision is lambda
};

inline constexpr std::array lambda_readings = {LambdaReading::mean_loss, LambdaReading::literal};
inline constexpr std::array<std::size_t, 2> table2_members = {5, 10};

/// Names the series: `lambda_mean_loss`, `lambda_literal`.
std::string series_of(LambdaReading reading);

/// Table 1's settings.
FitOptions table1_settings(const RealData& set, std::size_t train_rows, LambdaReading reading, std::uint64_t seed);

/// The scores of its first 5 and 10 members at held-back rows.
std::vector<Measurement> measure_table2(const Setting& setting, const Ensemble& wide, const Dataset& test, int threads);

/// One run per reading and repetition; each trains the largest ensemble, of which the smaller ones are the first
/// members. Seed 0, 1, ... chooses the split, where that is random, and the weights.
std::vector<Run> table2_runs(const std::shared_ptr<const RealRows>& rows, std::size_t repetitions);

}  // namespace credens::study
