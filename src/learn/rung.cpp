// SPDX-License-Identifier: Apache-2.0

#include "learn/rung.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "learn/evidence.hpp"
#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

namespace {

/// log w + log density of a member's held-out rows.
std::vector<double> member_densities(const TrainingSet& data, const model::Member& member,
                                     const model::MemberPosterior& posterior, double weight,
                                     std::span<const std::uint32_t> held) {
  const TrainingSet part = subset(data, held);
  const model::MemberBlock block = member_at(member, part);
  std::vector<double> own(part.outputs);
  std::vector<double> densities(part.rows, std::log(weight));
  for (std::size_t i = 0; i < part.rows; ++i) {
    model::epistemic_variances(posterior, block.features.row(i), own);
    for (std::size_t k = 0; k < part.outputs; ++k) {
      densities[i] += math::normal_log_density(static_cast<double>(part.targets[i * part.outputs + k]),
                                               block.mean(i, k), block.variance(i, k) + own[k]);
    }
  }
  return densities;
}

/// Held-out rows of each member, ascending.
std::vector<std::vector<std::uint32_t>> held_out_places(const JudgingRows& rows) {
  std::vector<std::uint32_t> places = rows.held_out_order;
  std::ranges::sort(places);
  std::vector<std::vector<std::uint32_t>> held(rows.held.size());
  for (std::size_t l = 0; l < held.size(); ++l) {
    std::ranges::copy_if(places, std::back_inserter(held[l]), [&](std::uint32_t place) { return rows.held[l][place]; });
  }
  return held;
}

}  // namespace

Gain gain_of(const JudgingRows& rows, std::span<const double> better, std::span<const double> base) {
  const TrainingSet& data = rows.set();
  std::vector<double> differences;
  std::vector<double> weights;
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < base.size(); ++i) {
    if (base[i] == no_density) continue;
    differences.push_back(better[i] - base[i]);
    weights.push_back(data.weight(i));
    places.push_back(i);
  }
  const math::WeightedValues merged = math::merge_groups(differences, weights, rows.units_of(places));
  return {math::weighted_mean(merged.values, merged.weights), math::standard_error(merged.values, merged.weights)};
}

std::vector<PosteriorKind> candidate_rungs(std::span<const model::Member> members, double prior_precision) {
  constexpr std::size_t widest = 512;
  std::vector<PosteriorKind> rungs{PosteriorKind::isotropic};
  if (!(prior_precision > 0)) return rungs;
  rungs.push_back(PosteriorKind::diagonal);
  const auto is_wide = [](const model::Member& member) { return member.features > widest; };
  if (std::ranges::none_of(members, is_wide)) rungs.push_back(PosteriorKind::full);
  return rungs;
}

RungChoice choose_rung(const JudgingRows& rows, const FitOptions& options, std::span<const model::Member> members,
                       std::span<const double> weights, std::span<const MemberSums> sums) {
  const std::vector<std::vector<std::uint32_t>> held = held_out_places(rows);
  // The rows' log densities under the members that were not trained on them, up to a constant per row that all rungs
  // share; `no_density` for rows that all members were trained on.
  const auto log_densities = [&](PosteriorKind rung) {
    std::vector<std::vector<double>> of_members(members.size());
    base::parallel_for(members.size(), options.threads, [&](std::size_t l) {
      const auto posterior = make_posterior(sums[l].statistics, std::nullopt, rung, options.prior_precision);
      of_members[l] = member_densities(rows.set(), members[l], posterior, weights[l], held[l]);
    });
    std::vector<double> densities(rows.set().rows, no_density);
    for (std::size_t l = 0; l < members.size(); ++l) {
      for (std::size_t i = 0; i < held[l].size(); ++i) {
        double& row = densities[held[l][i]];
        row = row == no_density ? of_members[l][i] : math::log_sum_exp(std::array{row, of_members[l][i]});
      }
    }
    return densities;
  };
  const std::vector<PosteriorKind> rungs = candidate_rungs(members, options.prior_precision);
  RungChoice choice{.reason = "no other posterior predicts held-out rows better than the paper's"};
  const std::vector<double> isotropic = log_densities(rungs.front());
  double best = 0;
  for (std::size_t i = 1; i < rungs.size(); ++i) {
    const Gain gain = gain_of(rows, log_densities(rungs[i]), isotropic);
    if (!(gain.mean > std::max(best, 2 * gain.standard_error))) continue;
    best = gain.mean;
    choice = {
        rungs[i],
        fmt::format("its log density of held-out rows is better than isotropic's by {:.2g} +- {:.1g} nats per row",
                    gain.mean, gain.standard_error)};
  }
  return choice;
}

}  // namespace credens::learn
