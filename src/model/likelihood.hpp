// SPDX-License-Identifier: Apache-2.0
//
// The likelihood of a target given a member's head: Gaussian noise, or one of C classes.
//
// Letters: q means, or logits z of C classes; t shares of the classes in a label, sum 1.

#pragma once

#include <cstddef>
#include <span>

#include "math/mixture.hpp"
#include "math/normal.hpp"
#include "model/mlp.hpp"

namespace credens::model {

/// sum_c t_c log softmax_c(z). `target` is the number of the class, or the C shares t.
template <class T>
double class_log_likelihood(std::span<const double> logits, std::span<const T> target) {
  const double normaliser = math::log_sum_exp(logits);
  if (target.size() == 1) return logits[static_cast<std::size_t>(target.front())] - normaliser;
  double sum = 0;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    if (target[c] > 0) sum += static_cast<double>(target[c]) * (logits[c] - normaliser);
  }
  return sum;
}

/// The meaning of a head for widening.
struct Likelihood {
  Task task = Task::regression;
  std::size_t outputs = 1;  ///< q, or C

  /// Rows of the last layer that the likelihood depends on: adding one vector to all logits of C classes changes no
  /// probability, so that C - 1 contrasts are left.
  std::size_t contrasts() const { return task == Task::classification ? outputs - 1 : outputs; }

  /// Covariances of the last layer that a posterior keeps: classes share one.
  std::size_t covariances() const { return task == Task::classification ? 1 : outputs; }

  /// The log likelihood of a row's target [q], or of its label.
  double log_likelihood(std::span<const double> mean, std::span<const double> variance,
                        std::span<const double> target) const {
    if (task == Task::classification) return class_log_likelihood(mean, target);
    double sum = 0;
    for (std::size_t k = 0; k < target.size(); ++k) sum += math::normal_log_density(target[k], mean[k], variance[k]);
    return sum;
  }
};

inline Likelihood likelihood_of(const MlpShape& shape) {
  return {.task = shape.task, .outputs = shape.outputs};
}

}  // namespace credens::model
