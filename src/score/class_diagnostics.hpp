// SPDX-License-Identifier: Apache-2.0
//
// Data for charts of class probabilities: reliability, risk against coverage, entropies of single rows, and the rows of
// which a model knows least. Rows arrive in blocks, and memory does not grow with their number.

#pragma once

#include <credens/class_score.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "score/class_scorer.hpp"
#include "score/even_sample.hpp"
#include "score/ranked_weights.hpp"

namespace credens::scoring {

/// A row as charts and tables show it. Targets are those of ClassObservations, or none.
struct ClassRow {
  std::size_t row = 0;
  double weight = 1;
  double confidence = 0;
  double entropy = 0;
  double aleatoric = 0;
  double epistemic = 0;
  std::uint32_t predicted = 0;
  std::optional<std::uint32_t> observed = {};  ///< the class of most of its counts; none without targets
  double observed_probability = 0;             ///< of that class
  double right = 0;                            ///< share of the row that is of the predicted class

  bool is_right() const { return observed == predicted; }
};

/// Rows of a block, of which the first has the number `first_row`. `targets` may have no rows.
std::vector<ClassRow> class_rows(const ClassPredictive& predictive, MatrixView targets, std::span<const double> weights,
                                 std::size_t first_row);

/// The rows of largest ignorance, largest first, at most `most`; equal ones in the order of the stream.
class LeastKnown {
 public:
  explicit LeastKnown(std::size_t most) : most_(most) {}

  void add(const ClassRow& row);
  const std::vector<ClassRow>& rows() const { return rows_; }

 private:
  std::size_t most_;
  std::vector<ClassRow> rows_;
};

/// Rows whose confidence lies in [low, high).
struct ReliabilityBin {
  double low = 0;
  double high = 0;
  double share = 0;           ///< of all rows, by weight
  double confidence = 0;      ///< mean
  double accuracy = 0;        ///< share of its weight that is right
  double effective_rows = 0;  ///< (sum u)^2 / sum u^2
};

/// Rows by their confidence, in the bins of the calibration error.
class Reliability {
 public:
  void add(const ClassRow& row);
  std::vector<ReliabilityBin> bins() const;  ///< those with rows; the last one holds a confidence of 1

 private:
  struct Sums {
    math::CompensatedSum weight;
    math::CompensatedSum square;
    math::CompensatedSum confidence;
    math::CompensatedSum right;
  };

  std::array<Sums, CalibrationBins::bins> sums_;
};

/// Mean entropies of rows of similar entropy.
struct EntropyGroup {
  double share = 0;  ///< of the rows up to the middle of this group, the surest first
  double aleatoric = 0;
  double epistemic = 0;
};

/// Rows in order of their entropy, cut into at most `most` groups of about equally many.
std::vector<EntropyGroup> entropy_groups(std::span<const ClassRow> rows, std::size_t most);

/// Shares of the weight of both groups in each of `bins` equal parts of [0, high]; values above count in the last part.
struct PairHistogram {
  double high = 0;
  std::vector<double> first = {};
  std::vector<double> second = {};
};

/// `high` is the largest value. Both groups have some weight.
PairHistogram pair_histogram(std::span<const RankedPair> pairs, std::size_t bins);

}  // namespace credens::scoring
