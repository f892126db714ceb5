// SPDX-License-Identifier: Apache-2.0
//
// Predictions of members at rows of classes that were held out of them, and the log losses that follow.
//
// Letters as in learn/class_calibration.hpp; G configurations.

#pragma once

#include <span>
#include <vector>

#include "learn/held_out.hpp"
#include "learn/rung.hpp"
#include "learn/widen.hpp"
#include "model/class_predictive.hpp"

namespace credens::learn {

/// Which held-out pairs count; empty: all.
using PairFilter = std::vector<bool>;

/// One value per configuration.
struct Configurations {
  std::span<const double> log_temperature;
  std::span<const double> weights;
  double shift = 0;  ///< added to every log temperature
};

class HeldOutClasses {
 public:
  /// Some rows that members were not trained on: enough to find a dozen numbers by, fewer where classes are many.
  HeldOutClasses(const JudgingRows& rows, const FitOptions& options, std::span<const model::Member> members);

  /// The variances e of the pairs' logits. A is formed with all rows, so a held-out row has helped to narrow its own e;
  /// on the full rung it is taken out again exactly: e / (1 - u e / C).
  void set_posterior(PosteriorKind rung, const FitOptions& options, std::span<const MemberSums> sums);

  std::size_t rows() const { return rows_.size(); }
  std::size_t members() const { return configuration_.size(); }
  std::size_t configurations() const { return configurations_; }
  const std::vector<double>& centre() const { return centre_; }  ///< log shares of the classes
  double members_per_row() const { return static_cast<double>(pair_member_.size()) / static_cast<double>(rows()); }

  /// Mean log loss of the mixture of a configuration's members that a row was held out of, its label t smoothed to
  /// (1 - 1/(N+1)) t + 1/((N+1) C).
  double smoothed_log_loss(std::size_t configuration, double log_temperature) const;

  /// Mean probability of a row's label by the members of each configuration, [rows x G]; -1 where there are none.
  std::vector<double> likelihoods(std::span<const double> log_temperature, int threads) const;

  /// -log of the weighted mean of a row's likelihoods.
  std::vector<double> log_losses(std::span<const double> likelihoods, std::span<const double> weights) const;

  /// One step of expectation maximisation: (sum of responsibilities + 1/G) / (sum of weights + 1).
  std::vector<double> reweighted(std::span<const double> likelihoods, std::span<const double> weights) const;

  /// Mean log loss of the mixture of all members.
  double mixture_log_loss(const Configurations& configurations, const PairFilter& filter, int threads) const;

  double plain_log_loss(int threads) const;  ///< equal weights, T = 1

  /// At most `count` members of each row, chosen at random.
  PairFilter few_members(std::size_t count, std::uint64_t seed) const;

  /// 1 / effective number of all members: sum of their squared weights.
  double inverse_size(std::span<const double> weights) const;

  double mean(std::span<const double> row_values) const;  ///< by row weight

  /// How much smaller the second log loss is, row by row.
  Gain gain(std::span<const double> base, std::span<const double> better) const;

 private:
  /// Memory that is kept from row to row.
  struct MixtureRoom {
    explicit MixtureRoom(std::size_t classes) : member(classes), logits(classes), mixture(classes) {}

    model::MemberClasses member;
    std::vector<double> logits;
    std::vector<double> mixture;  ///< sum 1
  };

  void add_pairs(std::span<const model::Member> members);
  void run_members(std::span<const model::Member> members, int threads);
  double mix(std::size_t row, const Configurations& configurations, const PairFilter& filter, MixtureRoom& room) const;
  template <class Visit>
  void for_rows(int threads, const Visit& visit) const;  ///< visit(row, room), by several threads
  std::span<const double> logits_of(std::size_t pair) const {
    return std::span(logits_).subspan(pair * classes_, classes_);
  }

  const JudgingRows& judging_;
  std::size_t classes_ = 0;
  std::size_t configurations_ = 0;
  std::vector<double> centre_;              ///< log shares of the classes
  std::vector<std::uint32_t> rows_;         ///< of the set, ascending
  std::vector<double> weights_;             ///< of the rows; 1 in the mean
  double given_weight_ = 1;                 ///< factor to the weights as given
  std::vector<std::size_t> configuration_;  ///< of each member
  std::vector<std::size_t> first_pair_;     ///< [rows + 1]
  std::vector<std::uint32_t> pair_member_;
  std::vector<std::size_t> row_of_pair_;               ///< place in `rows_`
  std::vector<Matrix> features_;                       ///< of each member at its pairs; empty: it has none
  std::vector<double> logits_;                         ///< [pairs x C]
  std::vector<double> variance_;                       ///< [pairs]: e
  std::vector<std::vector<std::uint32_t>> of_member_;  ///< pairs of each member
};

}  // namespace credens::learn
