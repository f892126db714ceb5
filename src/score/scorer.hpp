// SPDX-License-Identifier: Apache-2.0
//
// Scores of rows that arrive in blocks: sums in the order of the rows, so that blocks of any size give the same bits.

#pragma once

#include <credens/score.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "score/accumulators.hpp"
#include "score/score_fields.hpp"

namespace credens::scoring {

struct IntervalOptions {
  double level = 0.95;
  IntervalKind kind = IntervalKind::gaussian;
};

/// Predictions of some rows and what was observed there.
struct Observations {
  const Predictive& predictive;
  MatrixView targets;                    ///< [n x q]
  std::span<const double> weights = {};  ///< n values or none
  MatrixView truth = {};                 ///< [n x q] or empty
};

struct BlockScores {
  std::size_t rows = 0;
  bool has_truth = false;
  std::vector<RowScore> outputs = {};     ///< all rows of the first output, then of the second, ...
  std::vector<double> nll = {};           ///< of each row, joint over outputs; none where there is one output
  std::vector<double> nll_gaussian = {};  ///< likewise
};

/// Scores of a block as bytes for another process, and back.
void append(const BlockScores& block, std::string& bytes);
BlockScores read_block_scores(base::ByteReader& reader);

class OutputTally;

class Scorer {
 public:
  /// `target_std`: q standard deviations of the training targets, or none. `largest_weight`: that of RowWeights, over
  /// all rows.
  Scorer(std::size_t outputs, const IntervalOptions& interval, std::span<const double> target_std,
         double largest_weight);
  ~Scorer();

  void add(const Observations& rows) { add(score(rows)); }  ///< throws as credens::score

  /// `add` in two steps, the first of which may run in another process.
  BlockScores score(const Observations& rows) const;
  void add(const BlockScores& block);

  std::size_t rows() const { return rows_; }
  Scores scores() const;

 private:
  void check(const Observations& rows) const;

  IntervalOptions interval_;
  std::vector<double> target_std_;
  double largest_weight_;
  std::size_t rows_ = 0;
  bool has_truth_ = false;
  std::vector<OutputTally> outputs_;
  WeightedMean nll_;           ///< joint over several outputs
  WeightedMean nll_gaussian_;  ///< likewise
};

}  // namespace credens::scoring
