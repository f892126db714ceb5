// SPDX-License-Identifier: Apache-2.0

#include "learn/rung.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "learn/folds.hpp"
#include "learn/widen_rows.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "math/statistics.hpp"
#include "model/posterior.hpp"

namespace credens::learn {

namespace {

/// log w + log density of one member at the rows held out, by row; -inf where it saw the row.
using RowDensities = std::vector<double>;

RowDensities member_densities(const TrainingSet& data, const model::Member& member, double weight,
                              std::span<const std::uint32_t> held) {
  RowDensities densities(data.rows, -std::numeric_limits<double>::infinity());
  const TrainingSet part = subset(data, held);
  model::ForwardBuffers buffers(member.network->shape(),
                                std::min(std::max<std::size_t>(part.rows, 1), model::forward_rows));
  const Matrix known = part.known_variance.empty()
                           ? Matrix()
                           : Matrix(part.rows, part.outputs,
                                    std::vector<double>(part.known_variance.begin(), part.known_variance.end()));
  const model::MemberBlock block =
      model::member_block(*member.network, part.input_values.data(), part.input_stride, part.rows, known, buffers);
  std::vector<double> own(part.outputs);
  for (std::size_t i = 0; i < part.rows; ++i) {
    model::epistemic_variances(member.posterior, block.features.row(i), own);
    double density = std::log(weight);
    for (std::size_t k = 0; k < part.outputs; ++k) {
      density += math::normal_log_density(static_cast<double>(part.targets[i * part.outputs + k]), block.mean(i, k),
                                          block.variance(i, k) + own[k]);
    }
    densities[held[i]] = density;
  }
  return densities;
}

/// The rows' log densities under the members that did not see them, up to a constant per row; 0 for rows that all saw.
std::vector<double> log_densities(const TrainingSet& data, const Ensemble& wide, const FitOptions& options,
                                  const std::vector<std::vector<std::uint32_t>>& held) {
  const model::EnsembleState& state = wide.state();
  std::vector<RowDensities> members(state.members.size());
  base::parallel_for(members.size(), options.threads, [&](std::size_t l) {
    members[l] = member_densities(data, state.members[l], state.weights[l], held[l]);
  });
  std::vector<double> rows;
  std::vector<double> terms(members.size());
  for (std::size_t i = 0; i < data.rows; ++i) {
    for (std::size_t l = 0; l < members.size(); ++l) terms[l] = members[l][i];
    const double density = math::log_sum_exp(terms);
    rows.push_back(std::isfinite(density) ? density : 0);
  }
  return rows;
}

/// The mean of the differences, and its standard error.
struct Gain {
  double mean = 0;
  double standard_error = 0;
};

Gain gain_of(std::span<const double> better, std::span<const double> base) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i] != 0) differences.push_back(better[i] - base[i]);
  }
  const auto n = static_cast<double>(differences.size());
  const double mean = math::weighted_mean(differences, {});
  return {mean, std::sqrt(math::weighted_variance(differences, {}) / std::max(n - 1, 1.0))};
}

}  // namespace

RungChoice choose_rung(const TrainingSet& rows, const TrainingRows& train, const FitOptions& options,
                       const TrainedMembers& trained) {
  FitOptions planned = options;
  planned.posterior = PosteriorKind::isotropic;
  const Ensemble narrow = assemble(train, planned, trained);
  std::vector<std::vector<std::uint32_t>> held;
  for (const model::Member& member : trained.members) {
    held.push_back(held_out_rows(options, member.index, rows.rows));
  }
  const auto densities_of = [&](PosteriorKind kind) {
    const Ensemble wide = widen(narrow, train.source(), {.posterior = kind, .threads = options.threads});
    return log_densities(rows, wide, options, held);
  };

  const std::vector<double> isotropic = densities_of(PosteriorKind::isotropic);
  RungChoice choice{.reason = "no rung predicts rows held out better than the paper's"};
  double best = 0;
  for (const PosteriorKind kind : {PosteriorKind::diagonal, PosteriorKind::full}) {
    if (!(options.prior_precision > 0)) break;
    const Gain gain = gain_of(densities_of(kind), isotropic);
    if (gain.mean <= std::max(best, 2 * gain.standard_error)) continue;
    best = gain.mean;
    choice = {kind, fmt::format("its log density of rows held out is better than isotropic's by {:.4f} +- {:.4f}",
                                gain.mean, gain.standard_error)};
  }
  return choice;
}

}  // namespace credens::learn
