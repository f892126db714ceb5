// SPDX-License-Identifier: Apache-2.0

#include "unit/decide/plain_suggest.hpp"

#include <algorithm>
#include <cmath>

namespace credens::decide {

namespace {

/// C of all rows given a measurement of row `at`: C - c c^T / (C_aa + noise).
void condition(Matrix& covariance, std::size_t at, double noise) {
  const std::size_t n = covariance.rows();
  std::vector<double> column(n);
  for (std::size_t i = 0; i < n; ++i) column[i] = covariance(i, at);
  const double variance = column[at] + noise;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) covariance(i, j) -= column[i] * column[j] / variance;
  }
}

double mean_variance(const Matrix& covariance, std::size_t first, std::size_t end) {
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += covariance(i, i);
  return sum / static_cast<double>(end - first);
}

Matrix stacked(const Matrix& first, MatrixView second) {
  Matrix all(first.rows() + second.rows(), first.cols());
  for (std::size_t i = 0; i < all.rows(); ++i) {
    const auto row = i < first.rows() ? first.row(i) : second.row(i - first.rows());
    std::ranges::copy(row, all.row(i).begin());
  }
  return all;
}

}  // namespace

PlainSuggestion plain_suggest(const Ensemble& ensemble, const Matrix& pool, const SuggestOptions& options) {
  const MatrixView at = options.at.empty() ? pool.view() : options.at;
  const Matrix all = stacked(stacked(pool, at), options.pending);
  const std::size_t n = pool.rows();
  const std::size_t last = n + at.rows();
  const Matrix noise = ensemble.predict(pool, {.noise_std = options.noise_std}).aleatoric_variance();
  std::vector<Matrix> covariances = ensemble.joint_epistemic_covariance(all);
  if (!options.pending.empty()) {
    const Matrix pending =
        ensemble.predict(options.pending, {.noise_std = options.pending_noise_std}).aleatoric_variance();
    for (std::size_t k = 0; k < covariances.size(); ++k) {
      for (std::size_t i = 0; i < pending.rows(); ++i) condition(covariances[k], last + i, pending(i, k));
    }
  }
  PlainSuggestion result;
  for (const Matrix& covariance : covariances) result.start.push_back(std::sqrt(mean_variance(covariance, n, last)));
  while (result.rows.size() < options.count) {
    std::size_t best = n;
    double best_score = -1;
    double best_gain = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (std::ranges::count(result.rows, i) > 0) continue;
      double gain = 0;
      for (std::size_t k = 0; k < covariances.size(); ++k) {
        Matrix after = covariances[k];
        condition(after, i, noise(i, k));
        const double fall = mean_variance(covariances[k], n, last) - mean_variance(after, n, last);
        gain += fall / (result.start[k] * result.start[k]) / static_cast<double>(covariances.size());
      }
      const double score = gain / (options.cost.empty() ? 1 : options.cost[i]);
      if (score <= best_score) continue;
      best = i;
      best_score = score;
      best_gain = gain;
    }
    result.rows.push_back(best);
    result.gains.push_back(best_gain);
    result.ignorance.emplace_back();
    for (std::size_t k = 0; k < covariances.size(); ++k) {
      condition(covariances[k], best, noise(best, k));
      result.ignorance.back().push_back(std::sqrt(mean_variance(covariances[k], n, last)));
    }
  }
  return result;
}

}  // namespace credens::decide
