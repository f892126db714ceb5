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
#include "score/weighted_mean.hpp"

namespace credens::scoring {

/// Predictions of some rows and what was observed there.
struct ScoredRows {
  const Predictive& predictive;
  MatrixView targets;                    ///< [n x q]
  std::span<const double> weights = {};  ///< n values or none
  MatrixView truth = {};                 ///< [n x q] or empty
};

/// What one row of one output comes to. Whoever computes it, scores are sums over rows in their order.
struct RowScore {
  double weight;
  double target;
  double mean;
  double variance;  ///< total
  double ratio;     ///< epistemic by aleatoric variance
  double nll;
  double nll_gaussian;
  double crps;
  double pit;
  double lower;
  double upper;
  double function_lower;
  double function_upper;
  double truth;  ///< 0 where there is none
};

struct BlockScores {
  std::size_t rows = 0;
  bool has_truth = false;
  std::vector<RowScore> outputs = {};     ///< all rows of the first output, then of the second, ...
  std::vector<double> nll = {};           ///< of each row, joint over outputs; none where there is one output
  std::vector<double> nll_gaussian = {};  ///< likewise
};

/// For another process, and back.
void append(const BlockScores& block, std::string& bytes);
BlockScores read_block_scores(base::ByteReader& reader);

class OutputTally;

class Scorer {
 public:
  /// Of the options, `weights` and `truth` come with the rows. `largest_weight` is that of RowWeights, over all rows.
  Scorer(std::size_t outputs, const ScoreOptions& options, double largest_weight);
  ~Scorer();

  void add(const ScoredRows& rows) { add(score(rows)); }  ///< throws as credens::score

  /// The same in two steps, of which the first can be another process's.
  BlockScores score(const ScoredRows& rows) const;
  void add(const BlockScores& block);

  std::size_t rows() const { return rows_; }
  Scores scores() const;

 private:
  void check(const ScoredRows& rows) const;

  ScoreOptions options_;
  std::vector<double> target_std_;
  double largest_weight_;
  std::size_t rows_ = 0;
  bool has_truth_ = false;
  std::vector<OutputTally> outputs_;
  WeightedMean nll_;           ///< joint over several outputs
  WeightedMean nll_gaussian_;  ///< likewise
};

}  // namespace credens::scoring
