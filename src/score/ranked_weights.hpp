// SPDX-License-Identifier: Apache-2.0
//
// Rows in the order of an uncertainty or a probability, with the weight of two groups at each value: positive and
// negative rows of a ROC curve, wrong and right rows of a risk curve.

#pragma once

#include <credens/class_score.hpp>

#include <cstddef>
#include <vector>

namespace credens::scoring {

struct RankedPair {
  double value;
  double first;   ///< weight of the first group at this value
  double second;  ///< likewise of the second group

  double weight() const { return first + second; }
};

/// Weights by value, in bounded memory: up to `most_held` rows are held, 24 bytes each, and their order is exact. With
/// more rows, values that agree to 1 part in 128 count as equal, and so do all up to 2^-64 and all from 2^64 on: 262 kB
/// for any number of rows. The area under a ROC curve is then off by at most half of the share of pairs that became
/// ties.
class RankedWeights {
 public:
  /// `scale`: a rising function; values are rounded after it. None: they are rounded as they are.
  explicit RankedWeights(std::size_t most_held, double (*scale)(double) = nullptr)
      : most_held_(most_held), scale_(scale) {}

  /// Rows of weight 0 leave no trace.
  void add(double value, double first, double second);

  /// In the order of the values, equal ones as one. Rounded values are, after `scale`, the least of those that count as
  /// equal.
  std::vector<RankedPair> ascending() const;

 private:
  struct Cell {
    double first = 0;
    double second = 0;
  };

  void count(const RankedPair& row);

  std::size_t most_held_;
  double (*scale_)(double);
  std::vector<RankedPair> held_;
  std::vector<Cell> cells_;  ///< of rounded values; empty: all rows are held
};

/// Area under the ROC curve: probability that a value of the first group is above one of the second, ties at half
/// (Mann-Whitney). Both groups have some weight.
double mann_whitney(const std::vector<RankedPair>& ascending);

/// The first group is wrong, the second right; values are uncertainties.
RiskCurve risk_curve(const std::vector<RankedPair>& ascending);

}  // namespace credens::scoring
