// SPDX-License-Identifier: Apache-2.0
//
// Class probabilities of an ensemble: every member's softmax averaged over its posterior, and the mixture of these.
//
// Letters: L members of weight w_l, C classes, z_l logits, e_l = phi_l^T Sigma_l phi_l their variance, v = softmax(z_l
// + sqrt(e_l) xi) with standard normal xi, H entropy.

#pragma once

#include <credens/class_predictive.hpp>

#include "math/softmax_normal.hpp"
#include "model/member_source.hpp"

namespace credens::model {

enum class Width {
  of_posterior,  ///< the model's own
  none,          ///< the classical ensemble: e = 0
};

/// Moments of one member at one row, in memory that is kept from call to call.
class MemberClasses {
 public:
  explicit MemberClasses(std::size_t classes) : softmax_(classes), probability_(classes), square_(classes) {}

  void run(std::span<const double> logits, double variance) {
    entropies_ = softmax_.run(logits, variance, probability_, square_);
  }

  std::span<const double> probability() const { return probability_; }  ///< E v
  std::span<const double> square() const { return square_; }            ///< E v^2
  double expected_entropy() const { return entropies_.expected; }       ///< E H(v)
  double entropy_of_mean() const { return entropies_.of_mean; }         ///< H(E v)

 private:
  math::SoftmaxNormal softmax_;
  std::vector<double> probability_;
  std::vector<double> square_;
  math::SoftmaxEntropies entropies_;
};

/// The mixture at one row, which members are added to one after the other.
class ClassMixture {
 public:
  explicit ClassMixture(std::size_t classes) : probability_(classes), square_(classes) {}

  void clear();
  void add(const MemberClasses& member, double weight);

  /// The row of a prediction. The weights that were added have the sum `total_weight`.
  void write(ClassPredictive& predictive, std::size_t row, double total_weight = 1) const;

  /// sum w E v, divided by `total_weight`.
  std::vector<double> probability(double total_weight = 1) const;

 private:
  std::vector<double> probability_;  ///< sum w E v
  std::vector<double> square_;       ///< sum w E v^2
  double expected_entropy_ = 0;      ///< sum w E H(v)
  double member_entropy_ = 0;        ///< sum w H(E v)
};

/// Predictions for `rows` rows, to be written.
ClassPredictive empty_class_predictive(std::size_t rows, std::size_t classes);

/// At all rows of a source, computed by `threads` threads.
ClassPredictive class_predictive_of(const EnsembleState& state, const MemberSource& source, int threads,
                                    Width width = Width::of_posterior);

/// Throws usage for a regression; `needs_classes` false: for a classification.
void check_task(const EnsembleState& state, bool needs_classes);

}  // namespace credens::model
