// SPDX-License-Identifier: Apache-2.0

#include "learn/rung.hpp"

#include <algorithm>
#include <array>
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

/// log w + log density of the rows that a member did not see.
std::vector<double> member_densities(const TrainingSet& data, const model::Member& member, double weight,
                                     std::span<const std::uint32_t> held) {
  const TrainingSet part = subset(data, held);
  model::ForwardBuffers buffers(member.network->shape(), std::min(part.rows, model::forward_rows));
  const Matrix known = part.known_variance.empty()
                           ? Matrix()
                           : Matrix(part.rows, part.outputs,
                                    std::vector<double>(part.known_variance.begin(), part.known_variance.end()));
  const model::MemberBlock block =
      model::member_block(*member.network, part.input_values.data(), part.input_stride, part.rows, known, buffers);
  std::vector<double> own(part.outputs);
  std::vector<double> densities(part.rows, std::log(weight));
  for (std::size_t i = 0; i < part.rows; ++i) {
    model::epistemic_variances(member.posterior, block.features.row(i), own);
    for (std::size_t k = 0; k < part.outputs; ++k) {
      densities[i] += math::normal_log_density(static_cast<double>(part.targets[i * part.outputs + k]),
                                               block.mean(i, k), block.variance(i, k) + own[k]);
    }
  }
  return densities;
}

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// The rows' log densities under the members that did not see them, up to a constant per row that all rungs share;
/// `nothing` for rows that all members saw.
std::vector<double> log_densities(const TrainingSet& data, const Ensemble& wide, const FitOptions& options,
                                  const std::vector<std::vector<std::uint32_t>>& held) {
  const model::EnsembleState& state = wide.state();
  std::vector<std::vector<double>> members(state.members.size());
  base::parallel_for(members.size(), options.threads, [&](std::size_t l) {
    members[l] = member_densities(data, state.members[l], state.weights[l], held[l]);
  });
  std::vector<double> rows(data.rows, nothing);
  for (std::size_t l = 0; l < members.size(); ++l) {
    for (std::size_t i = 0; i < held[l].size(); ++i) {
      double& row = rows[held[l][i]];
      row = row == nothing ? members[l][i] : math::log_sum_exp(std::array{row, members[l][i]});
    }
  }
  return rows;
}

/// The mean of the differences, and its standard error.
struct Gain {
  double mean = 0;
  double standard_error = 0;
};

/// Rows count by their weight; (sum u)^2 / sum u^2 rows of equal weight would know as much.
Gain gain_of(const TrainingSet& data, std::span<const double> better, std::span<const double> base) {
  std::vector<double> differences;
  std::vector<double> weights;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (base[i] == nothing) continue;
    const double weight = data.weight(i);
    differences.push_back(better[i] - base[i]);
    weights.push_back(weight);
    sum += weight;
    squares += weight * weight;
  }
  const double rows = sum * sum / squares;
  return {math::weighted_mean(differences, weights),
          std::sqrt(math::weighted_variance(differences, weights) / std::max(rows - 1, 1.0))};
}

/// Isotropic first. Above it a prior is needed, and for the full rung P x P numbers per member, which wide layers make
/// too many to try unasked.
std::vector<PosteriorKind> candidates(std::span<const model::Member> members, double prior_precision) {
  constexpr std::size_t widest = 512;
  std::vector<PosteriorKind> rungs{PosteriorKind::isotropic};
  if (!(prior_precision > 0)) return rungs;
  rungs.push_back(PosteriorKind::diagonal);
  const auto is_wide = [](const model::Member& member) { return member.features > widest; };
  if (std::ranges::none_of(members, is_wide)) rungs.push_back(PosteriorKind::full);
  return rungs;
}

/// `held` are the rows of the set that each member did not see.
RungChoice choose(const TrainingSet& rows, const std::vector<std::vector<std::uint32_t>>& held,
                  const TrainingRows& train, const FitOptions& options, const TrainedMembers& trained) {
  FitOptions planned = options;
  planned.posterior = PosteriorKind::isotropic;
  const Ensemble narrow = assemble(train, planned, trained);
  const std::vector<PosteriorKind> rungs = candidates(trained.members, options.prior_precision);
  std::vector<std::vector<double>> densities;
  for (const Ensemble& wide : widen_each(narrow, train.source(), rungs, options.threads, train.team())) {
    densities.push_back(log_densities(rows, wide, options, held));
  }

  RungChoice choice{.reason = "no rung predicts rows held out better than the paper's"};
  double best = 0;
  for (std::size_t i = 1; i < rungs.size(); ++i) {
    const Gain gain = gain_of(rows, densities[i], densities[0]);
    if (!(gain.mean > std::max(best, 2 * gain.standard_error))) continue;
    best = gain.mean;
    choice = {rungs[i], fmt::format("its log density of rows held out is better than isotropic's by {:.2g} +- {:.1g}",
                                    gain.mean, gain.standard_error)};
  }
  return choice;
}

}  // namespace

RungChoice choose_rung(const TrainingSet& rows, const TrainingRows& train, const FitOptions& options,
                       const TrainedMembers& trained) {
  std::vector<std::vector<std::uint32_t>> held;
  for (const model::Member& member : trained.members) {
    held.push_back(held_out_rows(options, member.index, rows.rows));
  }
  return choose(rows, held, train, options, trained);
}

RungChoice choose_rung(const JudgingRows& rows, const TrainingRows& train, const FitOptions& options,
                       const TrainedMembers& trained) {
  std::vector<std::uint32_t> places = rows.unseen;
  std::ranges::sort(places);
  std::vector<std::vector<std::uint32_t>> held(trained.members.size());
  for (std::size_t l = 0; l < held.size(); ++l) {
    std::ranges::copy_if(places, std::back_inserter(held[l]), [&](std::uint32_t place) { return rows.held[l][place]; });
  }
  return choose(rows.sample.set, held, train, options, trained);
}

}  // namespace credens::learn
