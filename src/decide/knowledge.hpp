// SPDX-License-Identifier: Apache-2.0
//
// Covariance of the regression function given measurements whose values are not known yet: the conditional covariance
// of a Gaussian does not depend on them.
//
// Letters: z coordinates of the function (decide/function_rows.hpp), A = I - sum_j b_j b_j^T their covariance given j
// measurements, T rows that count.

#pragma once

#include <span>
#include <vector>

#include "decide/function_rows.hpp"

namespace credens::decide {

/// One output of the function at the rows of a pool, and at rows `at` whose ignorance counts. Both must outlive this.
class Knowledge {
 public:
  /// `weighs`: whether `decrease` is going to be asked for.
  Knowledge(const FunctionRows& pool, const FunctionRows& at, std::size_t output, bool weighs, int threads);

  /// As if the function had been measured at a row with coordinates psi, with this noise variance.
  void measure(std::span<const float> psi, double noise_variance);

  double variance(std::size_t row) const { return variance_[row]; }  ///< of the function at a row of the pool
  double mean_variance() const { return total_variance_ / static_cast<double>(at_.rows()); }  ///< at the rows `at`

  /// Expected decrease of mean_variance() by a measurement at a row of the pool.
  double decrease(std::size_t row) const;

 private:
  void sum_squares();
  std::vector<double> conditional(std::vector<double> direction) const;

  const FunctionRows& pool_;
  const FunctionRows& at_;
  std::size_t output_;
  int threads_;
  std::vector<std::vector<double>> measured_;  ///< b_j
  std::vector<double> variance_;               ///< psi^T A psi of the pool
  std::vector<double> squares_;                ///< sum_t (psi_t^T A psi)^2 of the pool; empty unless it is weighed
  double total_variance_ = 0;                  ///< sum_t psi_t^T A psi_t
};

}  // namespace credens::decide
