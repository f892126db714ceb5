// SPDX-License-Identifier: Apache-2.0
//
// Rows that lie where the model knows little, and tables that differ from the rows that it was calibrated with.
// docs/method.md has the mathematics. The model must have been calibrated with its training table at hand.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace credens {

/// p values of rows: the share of rows like the calibration rows that are at least as strange. Exact for rows that are
/// exchangeable with them.
struct RowTrust {
  std::vector<double> trust;      ///< N: the distances of the row, all together
  std::vector<double> ignorance;  ///< N: the ignorance of the model
  std::vector<double> together;   ///< N: distance to the nearest training row in all inputs at once, as they are or
                                  ///< with their correlations taken away; the smaller of the two
  Matrix inputs;                  ///< [N x d]: distance to the 1st, 5th or 10th nearest training row in each input
                                  ///< alone; the smallest of the three
  std::vector<double> strangeness;  ///< N: that `trust` ranks

  /// The inputs that make a row strange, the strangest first: those whose p value is at most `p`.
  std::vector<std::size_t> strange_inputs(std::size_t row, double p) const;
};

class TrustJudge {
 public:
  explicit TrustJudge(Ensemble ensemble);  ///< throws usage where the model keeps no rows to compare with
  ~TrustJudge();
  TrustJudge(TrustJudge&&) noexcept;

  RowTrust judge(MatrixView inputs, int threads = 0) const;
  const RowTrust& calibration() const;  ///< of the calibration rows themselves, ranked among each other

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One test of whether new rows are exchangeable with the calibration rows.
struct DriftTest {
  std::string name;  ///< an input, or what else is tested
  double statistic;  ///< Kolmogorov's distance of the distributions; of a martingale its log10; p of the strangest row
  double p;          ///< of this test alone
  std::optional<std::size_t> row = {};  ///< the strangest row; of a martingale the row from which it rises
};

struct TableCheck {
  std::vector<DriftTest> tests;

  /// All tests together (Bonferroni): at most the share a of tables without drift has a p value up to a.
  double p() const;
};

/// Inputs, ignorance and strangest row against those of the calibration rows.
TableCheck check_inputs(const Ensemble& ensemble, const TrustJudge& judge, MatrixView inputs, const RowTrust& rows);

/// Adds two tests per output: the distribution of PIT values, and a martingale that bets row by row against
/// exchangeability.
void check_targets(const Ensemble& ensemble, const Predictive& predictive, MatrixView targets, TableCheck& check);

}  // namespace credens
