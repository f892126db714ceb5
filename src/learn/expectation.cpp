// SPDX-License-Identifier: Apache-2.0

#include "learn/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.hpp"
#include "math/statistics.hpp"
#include "model/member_source.hpp"

namespace credens::learn {

namespace {

constexpr scoring::IntervalOptions interval;

double sum_of(std::span<const std::size_t> members, std::span<const double> weights) {
  double sum = 0;
  for (const std::size_t l : members) sum += weights[l];
  return sum;
}

/// h of some members, whose weights are first scaled to the sum 1.
double inverse_size(std::span<const std::size_t> members, std::span<const double> weights) {
  const double sum = sum_of(members, weights);
  double squares = 0;
  for (const std::size_t l : members) squares += weights[l] / sum * (weights[l] / sum);
  return squares;
}

/// The mixture of some members at one row, each with all the components that it has in `all`.
Predictive mixture_of(const Predictive& all, std::size_t row, std::span<const std::size_t> members,
                      std::span<const double> weights) {
  const MixtureComponents& from = all.components();
  const std::size_t q = from.outputs;
  const double sum = sum_of(members, weights);
  MixtureComponents some{.rows = 1, .outputs = q};
  for (std::size_t first = 0; first < from.weights.size(); first += weights.size()) {
    for (const std::size_t l : members) {
      some.weights.push_back(from.weights[first + l] / sum);
      for (std::size_t k = 0; k < q; ++k) {
        const std::size_t at = (row * from.weights.size() + first + l) * q + k;
        some.mean.push_back(from.mean[at]);
        some.aleatoric_variance.push_back(from.aleatoric_variance[at]);
        some.epistemic_variance.push_back(from.epistemic_variance[at]);
      }
    }
  }
  return Predictive(std::move(some));
}

/// The root of a mean of squares. The correction can take a mean of tiny squares below 0.
Estimate root_of(const Estimate& mean) {
  const double root = std::sqrt(std::max(0.0, mean.value));
  return {root, root > 0 ? mean.standard_error / (2 * root) : 0};
}

/// A share outside becomes smaller by the factor that lies between the halves and the whole, not by their difference:
/// few rows lie outside in the whole, and a line would end below none.
Estimate corrected_coverage(Estimate whole, double line) {
  const double outside = 1 - whole.value;
  const double gain = line - whole.value;
  whole.value = gain <= 0 ? std::max(0.0, line) : 1 - outside * outside / (outside + gain);
  return whole;
}

/// A half of equal weight is better than the whole by log 2 at most, since its members are half of the mixture. It may
/// be worse by any number where one member alone expects the row: then no line tells what more members would add.
double nll_gain(double whole, double half) {
  return std::max(whole - half, -std::numbers::ln2);
}

/// Rows that are enough for standard errors of one in a hundred; fewer where mixtures of very many members take long.
std::size_t most_rows(std::size_t members, std::size_t outputs) {
  constexpr std::size_t enough = 10'000;
  constexpr std::size_t fewest = 500;
  constexpr std::size_t most_pairs = std::size_t{1} << 28;  // CRPS looks at all pairs of a row's members
  return std::clamp(most_pairs / (members * members * outputs), fewest, enough);
}

/// A block of judged rows, ascending, with the members that each was held out of.
struct HeldOutRows {
  std::vector<std::uint32_t> rows = {};
  std::vector<std::vector<std::size_t>> members = {};
};

HeldOutRows held_out_rows_of(const model::EnsembleState& state, const JudgingRows& judging) {
  HeldOutRows found;
  const std::size_t most = most_rows(state.members.size(), state.target_scaler.cols());
  for (const std::uint32_t row : judging.held_out_order) {
    const auto is_held_out = [row](const std::vector<bool>& flags) { return flags[row]; };
    if (judging.set().weight(row) > 0 && std::ranges::any_of(judging.held, is_held_out)) found.rows.push_back(row);
    if (found.rows.size() == most) break;
  }
  std::ranges::sort(found.rows);
  for (const std::uint32_t row : found.rows) {
    std::vector<std::size_t>& members = found.members.emplace_back();
    for (std::size_t l = 0; l < state.members.size(); ++l) {
      if (judging.held[l][row]) members.push_back(l);
    }
  }
  return found;
}

/// Predictions of all members at rows of a set.
Predictive predicted(const model::EnsembleState& state, const TrainingSet& rows, int threads) {
  const std::vector<double> known(rows.known_variance.begin(), rows.known_variance.end());
  const model::EncodedRows encoded{
      .rows = rows.rows,
      .inputs = rows.input_values.data(),
      .stride = rows.input_stride,
      .has_missing = rows.has_missing,
      .known_variance = known.empty() ? MatrixView() : MatrixView(known.data(), rows.rows, rows.outputs)};
  return model::predictive_of(state, model::networks_at(state, encoded), threads);
}

/// Appends the components of `other`, row by row.
void append_components(MixtureComponents& to, const MixtureComponents& other) {
  const auto joined = [&](const std::vector<double>& left, const std::vector<double>& right) {
    std::vector<double> values;
    values.reserve(left.size() + right.size());
    for (std::size_t row = 0; row < to.rows; ++row) {
      for (const auto* side : {&left, &right}) {
        const auto width = std::ssize(*side) / static_cast<std::ptrdiff_t>(to.rows);
        const auto first = side->begin() + static_cast<std::ptrdiff_t>(row) * width;
        values.insert(values.end(), first, first + width);
      }
    }
    return values;
  };
  to.mean = joined(to.mean, other.mean);
  to.aleatoric_variance = joined(to.aleatoric_variance, other.aleatoric_variance);
  to.epistemic_variance = joined(to.epistemic_variance, other.epistemic_variance);
  to.weights.insert(to.weights.end(), other.weights.begin(), other.weights.end());
}

Matrix targets_of(const model::EnsembleState& state, const TrainingSet& rows) {
  const Matrix scaled(rows.rows, rows.outputs, std::vector<double>(rows.targets.begin(), rows.targets.end()));
  return data::unscaled(state.target_scaler, scaled);
}

}  // namespace

SizeCorrection size_correction(std::span<const std::size_t> members, std::span<const double> weights) {
  constexpr double furthest = 1;  // what members of equal weight need at most; beyond it a little noise grows large
  SizeCorrection correction;
  for (std::size_t i = 0; i < members.size(); ++i) correction.halves[i % 2].push_back(members[i]);
  double squares = 0;
  for (const double weight : weights) squares += weight * weight;
  const double missing = inverse_size(members, weights) - squares;
  if (members.size() < 2 || members.size() == weights.size() || !(missing > 0)) return correction;
  double of_halves = 0;
  for (std::size_t half = 0; half < 2; ++half) {
    correction.shares[half] = sum_of(correction.halves[half], weights) / sum_of(members, weights);
    of_halves += correction.shares[half] * inverse_size(correction.halves[half], weights);
  }
  correction.reach = std::min(furthest, missing / (of_halves - inverse_size(members, weights)));
  return correction;
}

Predictive with_both_noises(const Predictive& own, const Predictive& other, const std::vector<bool>& is_tail) {
  MixtureComponents all = own.components();
  MixtureComponents twins = other.components();
  double share = 0;
  for (std::size_t l = 0; l < is_tail.size(); ++l) share += is_tail[l] ? all.weights[l] : 0;
  for (std::size_t l = 0; l < is_tail.size(); ++l) {
    all.weights[l] *= is_tail[l] ? share : 1 - share;
    twins.weights[l] -= all.weights[l];
  }
  append_components(all, twins);
  return Predictive(std::move(all));
}

namespace {

/// How many rows of their own would tell a share as well. Rows of a unit that are all inside or all outside tell no
/// more than one.
double independent_rows(std::span<const double> terms, std::span<const double> weights,
                        std::span<const std::uint32_t> units, double share) {
  const double rows = math::effective_count(terms.size(), weights);
  if (units.empty()) return rows;
  const math::WeightedValues merged = math::merge_groups(terms, weights, units);
  const double error = math::standard_error(merged.values, merged.weights);
  if (error == 0) return math::effective_count(merged.values.size(), merged.weights);
  return std::clamp(share * (1 - share) / (error * error), std::min(2.0, rows), rows);
}

}  // namespace

Estimate share_of(std::span<const double> terms, std::span<const double> weights,
                  std::span<const std::uint32_t> units) {
  const double share = std::clamp(math::weighted_mean(terms, weights), 0.0, 1.0);
  const double rows = independent_rows(terms, weights, units, share);
  const double cautious = (share * rows + 1) / (rows + 2);
  return {share, std::sqrt(cautious * (1 - cautious) / rows)};
}

ExpectationScorer::ExpectationScorer(std::size_t outputs, std::vector<double> weights)
    : weights_(std::move(weights)), scorer_(outputs, interval, {}, 1) {}

ExpectationScorer::RowTerms ExpectationScorer::uncorrected(const Predictive& all, MatrixView targets, std::size_t row,
                                                           std::span<const std::size_t> members) const {
  const Predictive mixture = mixture_of(all, row, members, weights_);
  const scoring::BlockScores scores =
      scorer_.score({.predictive = mixture, .targets = targets.row_block(row, 1), .weights = {}, .truth = {}});
  RowTerms terms{.nll = scores.nll.empty() ? scores.outputs.front().nll : scores.nll.front(), .outputs = {}};
  for (std::size_t k = 0; k < scores.outputs.size(); ++k) {
    const scoring::RowScore& score = scores.outputs[k];
    const double aleatoric = score.variance / (1 + score.ratio);
    terms.outputs.push_back({.target = targets(row, k),
                             .squared_error = score.squared_error,
                             .absolute_error = score.absolute_error,
                             .crps = score.crps,
                             .nll = score.nll,
                             .is_inside = score.is_inside,
                             .inside_by_line = score.is_inside,
                             .aleatoric = aleatoric,
                             .epistemic = score.variance - aleatoric});
  }
  return terms;
}

ExpectationScorer::RowTerms ExpectationScorer::terms_of(const Predictive& all, MatrixView targets, std::size_t row,
                                                        std::span<const std::size_t> members) const {
  constexpr double Terms::*linear[] = {&Terms::squared_error,  &Terms::absolute_error, &Terms::crps,
                                       &Terms::inside_by_line, &Terms::aleatoric,      &Terms::epistemic};
  RowTerms terms = uncorrected(all, targets, row, members);
  const SizeCorrection correction = size_correction(members, weights_);
  if (correction.reach == 0) return terms;
  const RowTerms whole = terms;
  for (std::size_t half = 0; half < 2; ++half) {
    const RowTerms part = uncorrected(all, targets, row, correction.halves[half]);
    const double step = correction.reach * correction.shares[half];
    terms.nll += step * nll_gain(whole.nll, part.nll);
    for (std::size_t k = 0; k < terms.outputs.size(); ++k) {
      terms.outputs[k].nll += step * nll_gain(whole.outputs[k].nll, part.outputs[k].nll);
      for (double Terms::*const term : linear) {
        terms.outputs[k].*term += step * (whole.outputs[k].*term - part.outputs[k].*term);
      }
    }
  }
  return terms;
}

void ExpectationScorer::add(const Predictive& all, MatrixView targets, std::span<const double> row_weights,
                            std::span<const std::vector<std::size_t>> members, std::span<const std::uint32_t> units,
                            int threads) {
  const std::size_t first = rows_.size();
  rows_.resize(first + members.size());
  base::parallel_for(members.size(), threads,
                     [&](std::size_t row) { rows_[first + row] = terms_of(all, targets, row, members[row]); });
  row_weights_.insert(row_weights_.end(), row_weights.begin(), row_weights.end());
  row_units_.insert(row_units_.end(), units.begin(), units.end());
}

Estimate ExpectationScorer::mean_of(std::span<const double> terms) const {
  return {math::weighted_mean(terms, row_weights_), math::standard_error(terms, row_weights_, row_units_)};
}

/// 1 - MSE / variance of the targets. Its error to first order is that of the mean of (e^2 - (1 - R2) d^2) / variance,
/// with d the distance of a target from the mean of all. Equal targets leave nothing to explain.
Estimate ExpectationScorer::r2_of(std::span<const double> squared_errors, std::span<const double> targets) const {
  const double mean = math::weighted_mean(targets, row_weights_);
  const double variance = math::weighted_variance(targets, row_weights_);
  const double unexplained = math::weighted_mean(squared_errors, row_weights_);
  if (!(variance > 0)) return {unexplained > 0 ? 0.0 : 1.0, 0};
  std::vector<double> terms;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double distance = targets[i] - mean;
    terms.push_back((squared_errors[i] - unexplained / variance * distance * distance) / variance);
  }
  return {1 - unexplained / variance, mean_of(terms).standard_error};
}

std::vector<double> ExpectationScorer::values(std::size_t output, double Terms::*term) const {
  std::vector<double> found;
  for (const RowTerms& row : rows_) found.push_back(row.outputs[output].*term);
  return found;
}

OutputExpectation ExpectationScorer::output(std::size_t k) const {
  const auto mean = [&](double Terms::*term) { return mean_of(values(k, term)); };
  const std::vector<double> squared_errors = values(k, &Terms::squared_error);
  return {.rmse = root_of(mean_of(squared_errors)),
          .r2 = r2_of(squared_errors, values(k, &Terms::target)),
          .mae = mean(&Terms::absolute_error),
          .crps = mean(&Terms::crps),
          .nll = mean(&Terms::nll),
          .coverage = corrected_coverage(share_of(values(k, &Terms::is_inside), row_weights_, row_units_),
                                         mean(&Terms::inside_by_line).value),
          .aleatoric_std = root_of(mean(&Terms::aleatoric)),
          .epistemic_std = root_of(mean(&Terms::epistemic))};
}

std::optional<Expectation> ExpectationScorer::expectation() const {
  if (rows_.empty()) return std::nullopt;
  std::vector<double> nll;
  for (const RowTerms& row : rows_) nll.push_back(row.nll);
  Expectation found{.rows = rows_.size(), .level = interval.level, .nll = mean_of(nll), .outputs = {}};
  for (std::size_t k = 0; k < rows_.front().outputs.size(); ++k) found.outputs.push_back(output(k));
  return found;
}

std::optional<Expectation> expectation_of(const model::EnsembleState& wide, const WideTwins& twins,
                                          const JudgingRows& rows, int threads) {
  constexpr std::size_t most_components = std::size_t{1} << 20;  // of a block
  const std::size_t outputs = wide.target_scaler.cols();
  const std::size_t block = std::max<std::size_t>(1, most_components / (wide.members.size() * outputs));
  const HeldOutRows held = held_out_rows_of(wide, rows);
  ExpectationScorer scorer(outputs, wide.weights);
  for (std::size_t first = 0; first < held.rows.size(); first += block) {
    const std::size_t count = std::min(block, held.rows.size() - first);
    const auto block_rows = std::span(held.rows).subspan(first, count);
    const TrainingSet part = subset(rows.set(), block_rows);
    std::vector<double> weights;
    for (std::size_t i = 0; i < count; ++i) weights.push_back(part.weight(i));
    Predictive all = predicted(wide, part, threads);
    if (twins.state) all = with_both_noises(all, predicted(*twins.state, part, threads), twins.is_tail);
    scorer.add(all, targets_of(wide, part), weights, std::span(held.members).subspan(first, count),
               rows.units_of(block_rows), threads);
  }
  return scorer.expectation();
}

}  // namespace credens::learn
