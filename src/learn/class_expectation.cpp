// SPDX-License-Identifier: Apache-2.0

#include "learn/class_expectation.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "learn/expectation.hpp"
#include "math/statistics.hpp"
#include "model/class_predictive.hpp"

namespace credens::learn {

namespace {

/// Terms of one row.
struct ClassTerms {
  double is_right = 0;
  double log_loss = 0;
  double brier = 0;
  double aleatoric = 0;
  double epistemic = 0;
};

/// t_c of a label that is the number of a class, or one share per class.
double share_of_class(std::span<const float> target, std::size_t c) {
  if (target.size() > 1) return static_cast<double>(target[c]);
  return static_cast<std::size_t>(target.front()) == c ? 1 : 0;
}

/// Members at one row, with the variance of their logits.
struct RowMembers {
  std::vector<std::vector<double>> logits = {};  ///< by member of the ensemble; empty where the row was not held out
  std::vector<double> variance = {};
};

ClassTerms terms_of(const RowMembers& row, std::span<const std::size_t> members, std::span<const double> weights,
                    std::span<const float> target) {
  constexpr double least_probability = 1e-15;
  const std::size_t classes = row.logits[members.front()].size();
  model::MemberClasses member(classes);
  model::ClassMixture mixture(classes);
  double total = 0;
  for (const std::size_t l : members) {
    member.run(row.logits[l], row.variance[l]);
    mixture.add(member, weights[l]);
    total += weights[l];
  }
  ClassPredictive predictive = model::empty_class_predictive(1, classes);
  mixture.write(predictive, 0, total);
  ClassTerms terms{.is_right = share_of_class(target, predictive.predicted(0)),
                   .aleatoric = predictive.aleatoric[0],
                   .epistemic = predictive.epistemic[0]};
  for (std::size_t c = 0; c < classes; ++c) {
    const double p = predictive.probability(0, c);
    const double t = share_of_class(target, c);
    if (t > 0) terms.log_loss -= t * std::log(std::max(p, least_probability));
    terms.brier += (p - t) * (p - t);
  }
  return terms;
}

/// A score that is linear in 1 / members is continued to all members; a row is right or wrong.
ClassTerms corrected_terms(const RowMembers& row, std::span<const std::size_t> members, std::span<const double> weights,
                           std::span<const float> target) {
  constexpr double ClassTerms::*linear[] = {&ClassTerms::log_loss, &ClassTerms::brier, &ClassTerms::aleatoric,
                                            &ClassTerms::epistemic};
  ClassTerms terms = terms_of(row, members, weights, target);
  const SizeCorrection correction = size_correction(members, weights);
  if (correction.reach == 0) return terms;
  const ClassTerms whole = terms;
  for (std::size_t half = 0; half < 2; ++half) {
    const ClassTerms part = terms_of(row, correction.halves[half], weights, target);
    const double step = correction.reach * correction.shares[half];
    for (double ClassTerms::*const term : linear) terms.*term += step * (whole.*term - part.*term);
  }
  return terms;
}

/// Logits and their variances at all rows that each member was not trained on.
std::vector<RowMembers> members_at(const model::EnsembleState& wide, const JudgingRows& judging,
                                   std::span<const std::uint32_t> rows, int threads) {
  std::vector<RowMembers> found(rows.size());
  for (RowMembers& row : found) {
    row.logits.resize(wide.members.size());
    row.variance.resize(wide.members.size());
  }
  base::parallel_for(wide.members.size(), threads, [&](std::size_t l) {
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> held;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (!judging.held[l][rows[i]]) continue;
      places.push_back(i);
      held.push_back(rows[i]);
    }
    const model::MemberBlock block = member_at(wide.members[l], subset(judging.set(), held));
    for (std::size_t i = 0; i < places.size(); ++i) {
      found[places[i]].logits[l].assign(block.mean.row(i).begin(), block.mean.row(i).end());
      found[places[i]].variance[l] = model::epistemic_variance(wide.members[l].posterior, block.features.row(i), 0);
    }
  });
  return found;
}

std::vector<double> values_of(const std::vector<ClassTerms>& rows, double ClassTerms::*term) {
  std::vector<double> values;
  for (const ClassTerms& row : rows) values.push_back(row.*term);
  return values;
}

}  // namespace

std::optional<ClassExpectation> class_expectation_of(const model::EnsembleState& wide, const JudgingRows& judging,
                                                     int threads) {
  constexpr std::size_t most_logits = std::size_t{1} << 22;  // of each member
  const std::size_t enough = std::clamp<std::size_t>(most_logits / wide.target_scaler.cols(), 500, 10'000);
  std::vector<std::uint32_t> rows;
  std::vector<std::vector<std::size_t>> members;
  for (const std::uint32_t row : judging.held_out_order) {
    std::vector<std::size_t> held;
    for (std::size_t l = 0; l < wide.members.size(); ++l) {
      if (judging.held[l][row] && wide.weights[l] > 0) held.push_back(l);
    }
    if (held.empty() || !(judging.set().weight(row) > 0) || rows.size() == enough) continue;
    rows.push_back(row);
    members.push_back(std::move(held));
  }
  if (rows.empty()) return std::nullopt;
  const std::vector<RowMembers> at_rows = members_at(wide, judging, rows, threads);
  std::vector<ClassTerms> terms(rows.size());
  base::parallel_for(rows.size(), threads, [&](std::size_t i) {
    terms[i] = corrected_terms(at_rows[i], members[i], wide.weights, judging.set().target_row(rows[i]));
  });
  std::vector<double> weights;
  for (const std::uint32_t row : rows) weights.push_back(static_cast<double>(judging.set().weight(row)));
  const std::vector<std::uint32_t> units = judging.units_of(rows);
  const auto estimate = [&](double ClassTerms::*term) {
    const std::vector<double> values = values_of(terms, term);
    const double mean = math::weighted_mean(values, weights);
    // The correction may go too far where hardly anything is wrong.
    return Estimate{std::max(0.0, mean), math::standard_error(values, weights, units)};
  };
  return ClassExpectation{.rows = rows.size(),
                          .accuracy = share_of(values_of(terms, &ClassTerms::is_right), weights, units),
                          .log_loss = estimate(&ClassTerms::log_loss),
                          .brier = estimate(&ClassTerms::brier),
                          .aleatoric = estimate(&ClassTerms::aleatoric),
                          .epistemic = estimate(&ClassTerms::epistemic)};
}

}  // namespace credens::learn
