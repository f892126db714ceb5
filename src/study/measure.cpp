// SPDX-License-Identifier: Apache-2.0

#include "study/measure.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "math/statistics.hpp"

namespace credens::study {
namespace {

/// The sum over rows and members of the part of each member's own width in its noise.
double sum_of_ratios(const Predictive& predictive) {
  const MixtureComponents& parts = predictive.components();
  double sum = 0;
  for (std::size_t i = 0; i < parts.mean.size(); ++i) sum += parts.epistemic_variance[i] / parts.aleatoric_variance[i];
  return sum;
}

double mean_width_ratio(const Ensemble& wide, const Dataset& train, int threads) {
  double sum = 0;
  for (std::size_t first = 0; first < train.rows(); first += math::statistics_block) {
    const std::size_t count = std::min(math::statistics_block, train.rows() - first);
    sum += sum_of_ratios(wide.predict(train.inputs().row_block(first, count), {.threads = threads}));
  }
  return sum / static_cast<double>(train.rows() * wide.members() * wide.outputs());
}

}  // namespace

Predictive first_members(const Predictive& all, std::size_t members) {
  const MixtureComponents& parts = all.components();
  base::require(members > 0 && members <= all.members(), ErrorCode::usage, "{} members of {}, expected at least 1",
                members, all.members());
  MixtureComponents first{.rows = parts.rows, .outputs = parts.outputs};
  first.weights.assign(members, 1 / static_cast<double>(members));
  const auto stride = static_cast<std::ptrdiff_t>(all.members() * parts.outputs);
  const auto kept = static_cast<std::ptrdiff_t>(members * parts.outputs);
  for (std::vector<double> MixtureComponents::*part :
       {&MixtureComponents::mean, &MixtureComponents::aleatoric_variance, &MixtureComponents::epistemic_variance}) {
    const std::vector<double>& from = parts.*part;
    for (auto row = from.begin(); row != from.end(); row += stride)
      (first.*part).insert((first.*part).end(), row, row + kept);
  }
  return Predictive(std::move(first));
}

std::vector<Measurement> measurements_of(const Setting& setting, std::size_t members, const std::string& method,
                                         const Scores& scores) {
  std::vector<Measurement> measurements;
  const auto add = [&](const char* metric, double value) {
    measurements.push_back({.key = {.series = setting.series,
                                    .data = setting.data,
                                    .rows = setting.rows,
                                    .members = members,
                                    .method = method,
                                    .metric = metric},
                            .value = value});
  };
  if (scores.function_coverage) {
    add("function_coverage", *scores.function_coverage);
    add("rmse", scores.function_rmse.value());
  } else {
    add("rmse", scores.rmse_standardised.value_or(scores.rmse));
  }
  add("epistemic_coverage", scores.epistemic_coverage);
  add("total_coverage", scores.total_coverage);
  add("epistemic_aleatoric_ratio", scores.epistemic_aleatoric_ratio);
  add("epistemic_aleatoric_ratio_median", scores.epistemic_aleatoric_ratio_median);
  return measurements;
}

std::vector<Measurement> measure(const Setting& setting, const Predictive& extended, const TestRows& rows) {
  const ScoreOptions options{.truth = rows.truth, .target_std = rows.target_std};
  std::vector<Measurement> all;
  for (const auto& [method, predictive] :
       {std::pair(classical_method, extended.classical()), std::pair(extended_method, extended)}) {
    const auto measurements =
        measurements_of(setting, extended.members(), method, score(predictive, rows.targets, options));
    all.insert(all.end(), measurements.begin(), measurements.end());
  }
  return all;
}

std::vector<Measurement> measure_widths(const Setting& setting, const Ensemble& wide, const Dataset& train,
                                        int threads) {
  std::vector<Measurement> measurements;
  const auto add = [&](const char* metric, std::optional<double> value) {
    if (!value) return;
    measurements.push_back({.key = {.series = setting.series,
                                    .data = setting.data,
                                    .rows = setting.rows,
                                    .members = wide.members(),
                                    .method = extended_method,
                                    .metric = metric},
                            .value = *value});
  };
  const auto per_row = [&](PosteriorKind kind) {
    std::optional<double> elbo = wide.elbo(kind);
    if (elbo) *elbo /= static_cast<double>(train.rows());
    return elbo;
  };
  const std::vector<double> gamma = wide.gamma();
  add("gamma", std::accumulate(gamma.begin(), gamma.end(), 0.0) / static_cast<double>(gamma.size()));
  add("width_ratio_training", mean_width_ratio(wide, train, threads));
  add("elbo_isotropic_per_row", per_row(PosteriorKind::isotropic));
  add("elbo_diagonal_per_row", per_row(PosteriorKind::diagonal));
  add("elbo_full_per_row", per_row(PosteriorKind::full));
  return measurements;
}

}  // namespace credens::study
