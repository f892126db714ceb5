// SPDX-License-Identifier: Apache-2.0
//
// Scores that new rows may expect of an ensemble: those of held-out rows, each predicted by the members that were not
// trained on it, corrected for the members that a new row has besides.
//
// Letters: w_l the weight of member l among some members, sum 1; h = sum_l w_l^2, the inverse of their effective
// number.

#pragma once

#include <credens/expectation.hpp>

#include <optional>
#include <span>
#include <vector>

#include "learn/held_out.hpp"
#include "model/ensemble_state.hpp"
#include "score/scorer.hpp"

namespace credens::learn {

/// The members of a row's mixture in two halves, every other member in each, and how far to go beyond them all:
/// a score t that is linear in h becomes t_all + reach (t_all - t_halves), with t_halves the mean of the halves' scores
/// by their weight. Reach is 0 for one member, and where all members of the ensemble are there.
struct SizeCorrection {
  std::vector<std::size_t> halves[2] = {};
  double shares[2] = {0, 0};  ///< sum of the weights of each half
  double reach = 0;
};

/// `members`: those of positive weight that the row was held out of. `weights`: of the whole ensemble, sum 1.
SizeCorrection size_correction(std::span<const std::size_t> members, std::span<const double> weights);

/// The share of rows that are inside (terms from 0 to 1), with the standard error of a share that one row inside and
/// one outside more would give: rows that are all inside do not make it certain. `units` as in ExpectationScorer.
Estimate share_of(std::span<const double> terms, std::span<const double> weights, std::span<const std::uint32_t> units);

/// Scores rows one by one.
class ExpectationScorer {
 public:
  /// `weights` are those of the members, with sum 1.
  ExpectationScorer(std::size_t outputs, std::vector<double> weights);

  /// `all` has the components of all members at the rows, in this order; if a member has several, then first those of
  /// all members that come first, and so on. `targets` [n x q] and `row_weights` are their observations.
  /// `members` has, for each row, the members that it was held out of, at least one of positive weight. `units` has
  /// the unit that each row was held out with; none where every row is one.
  void add(const Predictive& all, MatrixView targets, std::span<const double> row_weights,
           std::span<const std::vector<std::size_t>> members, std::span<const std::uint32_t> units, int threads);

  /// None where no row counts.
  std::optional<Expectation> expectation() const;

 private:
  /// Terms of one row and output, after the correction.
  struct Terms {
    double target = 0;
    double squared_error = 0;
    double absolute_error = 0;
    double crps = 0;
    double nll = 0;
    double is_inside = 0;       ///< of the members that there are
    double inside_by_line = 0;  ///< the same, corrected
    double aleatoric = 0;
    double epistemic = 0;
  };
  struct RowTerms {
    double nll = 0;  ///< joint over outputs
    std::vector<Terms> outputs;
  };

  RowTerms terms_of(const Predictive& all, MatrixView targets, std::size_t row,
                    std::span<const std::size_t> members) const;
  RowTerms uncorrected(const Predictive& all, MatrixView targets, std::size_t row,
                       std::span<const std::size_t> members) const;
  std::vector<double> values(std::size_t output, double Terms::*term) const;
  Estimate mean_of(std::span<const double> terms) const;
  Estimate r2_of(std::span<const double> squared_errors, std::span<const double> targets) const;
  OutputExpectation output(std::size_t k) const;

  std::vector<double> weights_;
  scoring::Scorer scorer_;
  std::vector<double> row_weights_;
  std::vector<std::uint32_t> row_units_;  ///< none where every row is one
  std::vector<RowTerms> rows_;
};

/// Every member with its own noise, and then once more with that of the other sort, each as likely as it is among all
/// members: which of the few members that a row was held out of are tail components is chance.
Predictive with_both_noises(const Predictive& own, const Predictive& other, const std::vector<bool>& is_tail);

/// The finished ensemble with the noise of each member changed to that of the other sort: wide where it was narrow,
/// narrow where it was a tail component.
struct WideTwins {
  std::optional<model::EnsembleState> state = {};  ///< none without tail components
  std::vector<bool> is_tail = {};                  ///< by member of the ensemble
};

/// `wide` is the finished ensemble, `rows.held` has the flags of its members. None where no row is held out.
std::optional<Expectation> expectation_of(const model::EnsembleState& wide, const WideTwins& twins,
                                          const JudgingRows& rows, int threads);

}  // namespace credens::learn
