// SPDX-License-Identifier: Apache-2.0

#include "learn/held_out_classes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "learn/evidence.hpp"
#include "learn/recipe.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

namespace {

constexpr double least_probability = 1e-15;

/// The cost of a pair grows with the classes.
std::size_t most_rows_of(std::size_t classes) {
  constexpr std::size_t enough_pairs = 2500;
  constexpr std::size_t few_classes = 10;
  constexpr std::size_t fewest = 500;
  return classes <= few_classes ? enough_pairs : std::max(fewest, enough_pairs * few_classes / classes);
}

/// sum_c t_c p_c for a class t, or exp(sum_c t_c log p_c) for shares.
double likelihood_of(std::span<const float> target, std::span<const double> probability) {
  if (target.size() == 1) return std::max(probability[static_cast<std::size_t>(target.front())], least_probability);
  double sum = 0;
  for (std::size_t c = 0; c < probability.size(); ++c) {
    if (target[c] > 0) sum += static_cast<double>(target[c]) * std::log(std::max(probability[c], least_probability));
  }
  return std::exp(sum);
}

/// log of (weight of the rows of a class + 1 / C) / (weight of all rows + 1).
std::vector<double> log_shares(const TrainingSet& set, std::size_t classes) {
  std::vector<double> counts(classes, 1 / static_cast<double>(classes));
  double total = 1;
  for (std::size_t row = 0; row < set.rows; ++row) {
    const auto weight = static_cast<double>(set.weight(row));
    const std::span<const float> target = set.target_row(row);
    if (target.size() == 1) {
      counts[static_cast<std::size_t>(target.front())] += weight;
    } else {
      for (std::size_t c = 0; c < classes; ++c) counts[c] += weight * static_cast<double>(target[c]);
    }
    total += weight;
  }
  for (double& count : counts) count = std::log(count / total);
  return counts;
}

}  // namespace

HeldOutClasses::HeldOutClasses(const JudgingRows& rows, const FitOptions& options,
                               std::span<const model::Member> members)
    : judging_(rows), classes_(rows.set().outputs), configurations_(configuration_count(options)) {
  const TrainingSet& set = rows.set();
  const auto is_held_out = [&](std::uint32_t row) {
    return set.weight(row) > 0 &&
           std::ranges::any_of(rows.held, [row](const std::vector<bool>& flags) { return flags[row]; });
  };
  for (const std::uint32_t row : rows.held_out_order) {
    if (rows_.size() < most_rows_of(classes_) && is_held_out(row)) rows_.push_back(row);
  }
  std::ranges::sort(rows_);
  for (const std::uint32_t row : rows_) weights_.push_back(static_cast<double>(set.weight(row)));
  for (const model::Member& member : members) configuration_.push_back(member.index % configurations_);
  const std::size_t all = rows.all != nullptr ? rows.all->rows : set.rows;
  given_weight_ = rows.sample ? 1 : set.weight_total / static_cast<double>(all);
  centre_ = log_shares(set, classes_);
  add_pairs(members);
  of_member_.resize(members.size());
  for (std::uint32_t pair = 0; pair < pair_member_.size(); ++pair) of_member_[pair_member_[pair]].push_back(pair);
  logits_.resize(pair_member_.size() * classes_);
  variance_.resize(pair_member_.size());
  run_members(members, options.threads);
}

void HeldOutClasses::add_pairs(std::span<const model::Member> members) {
  first_pair_ = {0};
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::uint32_t l = 0; l < members.size(); ++l) {
      if (judging_.held[l][rows_[r]]) pair_member_.push_back(l);
    }
    first_pair_.push_back(pair_member_.size());
    row_of_pair_.resize(pair_member_.size(), r);
  }
}

void HeldOutClasses::run_members(std::span<const model::Member> members, int threads) {
  features_.resize(members.size());
  base::parallel_for(members.size(), threads, [&](std::size_t l) {
    std::vector<std::uint32_t> held;  // rows of the set
    std::ranges::copy_if(rows_, std::back_inserter(held), [&](std::uint32_t row) { return judging_.held[l][row]; });
    if (held.empty()) return;
    model::MemberBlock block = member_at(members[l], subset(judging_.set(), held));
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(of_member_[l][i] * classes_);
      std::ranges::copy(block.mean.row(i), logits_.begin() + at);
    }
    features_[l] = std::move(block.features);
  });
}

void HeldOutClasses::set_posterior(PosteriorKind rung, const FitOptions& options, std::span<const MemberSums> sums) {
  base::parallel_for(features_.size(), options.threads, [&](std::size_t l) {
    if (features_[l].empty()) return;
    const auto posterior = make_posterior(sums[l].statistics, std::nullopt, rung, options.prior_precision);
    for (std::size_t i = 0; i < of_member_[l].size(); ++i) {
      const std::uint32_t pair = of_member_[l][i];
      const double e = model::epistemic_variance(posterior, features_[l].row(i), 0);
      const double weight = given_weight_ * weights_[row_of_pair_[pair]];
      const double own_share = rung == PosteriorKind::full ? weight * e / static_cast<double>(classes_) : 0;
      constexpr double largest_share = 1 - 1e-6;
      variance_[pair] = e / (1 - std::min(own_share, largest_share));
    }
  });
}

/// sum_pairs w E softmax(log s + (z - log s) / T + sqrt(e) xi), s the shares of the classes, over the pairs of a row, and the sum of their weights w.
double HeldOutClasses::mix(std::size_t row, const Configurations& configurations, const PairFilter& filter,
                           MixtureRoom& room) const {
  std::ranges::fill(room.mixture, 0.0);
  double total = 0;
  for (std::size_t pair = first_pair_[row]; pair < first_pair_[row + 1]; ++pair) {
    const std::size_t configuration = configuration_[pair_member_[pair]];
    const double weight = configurations.weights[configuration];
    if (weight == 0 || (!filter.empty() && !filter[pair])) continue;
    const double cooling = std::exp(-configurations.log_temperature[configuration] - configurations.shift);
    std::ranges::transform(logits_of(pair), centre_, room.logits.begin(),
                           [&](double z, double centre) { return centre + (z - centre) * cooling; });
    room.member.run(room.logits, variance_[pair]);
    for (std::size_t c = 0; c < classes_; ++c) room.mixture[c] += weight * room.member.probability()[c];
    total += weight;
  }
  for (double& value : room.mixture) value /= total;
  return total;
}

double HeldOutClasses::smoothed_log_loss(std::size_t configuration, double log_temperature) const {
  const std::vector<double> temperatures(configurations_, log_temperature);
  std::vector<double> only(configurations_);
  only[configuration] = 1;
  MixtureRoom room(classes_);
  const double smoothing = 1 / (static_cast<double>(rows()) + 1);
  double sum = 0;
  double weights = 0;
  for (std::size_t r = 0; r < rows(); ++r) {
    if (mix(r, {temperatures, only}, {}, room) == 0) continue;
    double uniform = 0;
    for (const double p : room.mixture) {
      uniform += std::log(std::max(p, least_probability)) / static_cast<double>(classes_);
    }
    const double own = std::log(likelihood_of(judging_.set().target_row(rows_[r]), room.mixture));
    sum -= weights_[r] * ((1 - smoothing) * own + smoothing * uniform);
    weights += weights_[r];
  }
  return weights > 0 ? sum / weights : 0;
}

template <class Visit>
void HeldOutClasses::for_rows(int threads, const Visit& visit) const {
  constexpr std::size_t rows_at_once = 64;
  base::parallel_for((rows() + rows_at_once - 1) / rows_at_once, threads, [&](std::size_t task) {
    MixtureRoom room(classes_);
    const std::size_t end = std::min(rows(), (task + 1) * rows_at_once);
    for (std::size_t r = task * rows_at_once; r < end; ++r) visit(r, room);
  });
}

std::vector<double> HeldOutClasses::likelihoods(std::span<const double> log_temperature, int threads) const {
  std::vector<double> found(rows() * configurations_, -1);
  for (std::size_t g = 0; g < configurations_; ++g) {
    std::vector<double> only(configurations_);
    only[g] = 1;
    for_rows(threads, [&](std::size_t r, MixtureRoom& room) {
      if (mix(r, {log_temperature, only}, {}, room) == 0) return;
      found[r * configurations_ + g] = likelihood_of(judging_.set().target_row(rows_[r]), room.mixture);
    });
  }
  return found;
}

std::vector<double> HeldOutClasses::log_losses(std::span<const double> likelihoods,
                                               std::span<const double> weights) const {
  std::vector<double> losses;
  for (std::size_t r = 0; r < rows(); ++r) {
    double sum = 0;
    double total = 0;
    for (std::size_t g = 0; g < configurations_; ++g) {
      const double likelihood = likelihoods[r * configurations_ + g];
      if (likelihood < 0) continue;
      sum += weights[g] * likelihood;
      total += weights[g];
    }
    losses.push_back(-std::log(sum / total));
  }
  return losses;
}

std::vector<double> HeldOutClasses::reweighted(std::span<const double> likelihoods,
                                               std::span<const double> weights) const {
  std::vector<double> better(configurations_, 1 / static_cast<double>(configurations_));
  double total = 1;
  for (std::size_t r = 0; r < rows(); ++r) {
    const auto of_row = likelihoods.subspan(r * configurations_, configurations_);
    double sum = 0;
    for (std::size_t g = 0; g < configurations_; ++g) sum += weights[g] * std::max(of_row[g], 0.0);
    for (std::size_t g = 0; g < configurations_; ++g) {
      better[g] += weights_[r] * weights[g] * std::max(of_row[g], 0.0) / sum;
    }
    total += weights_[r];
  }
  for (double& weight : better) weight /= total;
  return better;
}

double HeldOutClasses::mixture_log_loss(const Configurations& configurations, const PairFilter& filter,
                                        int threads) const {
  std::vector<double> losses(rows());
  for_rows(threads, [&](std::size_t r, MixtureRoom& room) {
    const bool is_known = mix(r, configurations, filter, room) > 0;
    losses[r] = is_known ? -std::log(likelihood_of(judging_.set().target_row(rows_[r]), room.mixture)) : 0;
  });
  return mean(losses);
}

double HeldOutClasses::plain_log_loss(int threads) const {
  const std::vector<double> zeros(configurations_);
  const std::vector<double> equal(configurations_, 1 / static_cast<double>(configurations_));
  return mixture_log_loss({zeros, equal}, {}, threads);
}

PairFilter HeldOutClasses::few_members(std::size_t count, std::uint64_t seed) const {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::calibration, .member = 3});
  PairFilter filter(pair_member_.size());
  for (std::size_t r = 0; r < rows(); ++r) {
    const std::size_t pairs = first_pair_[r + 1] - first_pair_[r];
    const std::vector<std::uint32_t> order = base::permutation(pairs, random);
    for (std::size_t i = 0; i < std::min(count, pairs); ++i) filter[first_pair_[r] + order[i]] = true;
  }
  return filter;
}

double HeldOutClasses::inverse_size(std::span<const double> weights) const {
  std::vector<double> replicates(configurations_);
  for (const std::size_t configuration : configuration_) ++replicates[configuration];
  double squares = 0;
  for (std::size_t g = 0; g < configurations_; ++g) {
    if (replicates[g] > 0) squares += weights[g] * weights[g] / replicates[g];
  }
  return squares;
}

double HeldOutClasses::mean(std::span<const double> row_values) const {
  return math::weighted_mean(row_values, weights_);
}

Gain HeldOutClasses::gain(std::span<const double> base, std::span<const double> better) const {
  std::vector<double> of_base(judging_.set().rows, no_density);
  std::vector<double> of_better(judging_.set().rows, no_density);
  for (std::size_t r = 0; r < rows(); ++r) {
    of_base[rows_[r]] = -base[r];
    of_better[rows_[r]] = -better[r];
  }
  return gain_of(judging_, of_better, of_base);
}

}  // namespace credens::learn
