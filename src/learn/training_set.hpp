// SPDX-License-Identifier: Apache-2.0
//
// The rows that networks are trained on: scaled, in float, padded for the kernels.

#pragma once

#include <credens/dataset.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "data/row_source.hpp"
#include "data/scaler.hpp"
#include "learn/training_rows.hpp"

namespace credens::learn {

/// From the units of the data to those of the networks.
struct Scaling {
  data::Scaler inputs;
  data::Scaler targets;
};

/// Targets standardised by all rows of `train`, inputs too unless that is not wanted; those that are heavy-tailed are
/// bent before (data/heavy_tails.hpp) where that is.
Scaling make_scaling(const TrainingRows& train, bool standardise_inputs, bool bend_heavy_tails = false);

/// N rows, d inputs, q outputs, in network units.
struct TrainingSet {
  std::size_t rows = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::size_t input_stride = 0;             ///< padded(d)
  base::AlignedVector<float> input_values;  ///< [N x input_stride]
  std::vector<float> targets;               ///< [N x q]
  std::vector<float> weights;               ///< N with mean 1, or none
  std::vector<float> known_variance;        ///< [N x q], or none
  double weight_total = 0;  ///< sum of the row weights as given; N without weights: the N of the MAP loss

  float weight(std::size_t row) const { return weights.empty() ? 1.0F : weights[row]; }
  float known(std::size_t row, std::size_t output) const {
    return known_variance.empty() ? 0.0F : known_variance[row * outputs + output];
  }
};

/// A copy of some rows, whose weights keep their size.
TrainingSet subset(const TrainingSet& data, std::span<const std::uint32_t> rows);

/// Nothing can announce the rows of a file that somebody writes to: throws data.
void check_row_count(bool is_as_announced);

/// Makes rows of training sets of rows as they are given.
class RowScaler {
 public:
  /// `source` tells which parts its rows have; `mean_weight` is what row weights are divided by.
  RowScaler(const data::RowSource& source, Scaling scaling, double mean_weight);

  TrainingSet set_of(std::size_t rows) const;  ///< with room for them

  /// Rows [first, first + count) of a block become those from `at` on. Throws data where a value is too large after
  /// scaling.
  void write(const data::RowBlock& block, std::size_t first, std::size_t count, TrainingSet& set, std::size_t at) const;

 private:
  Scaling scaling_;
  std::vector<std::string> input_labels_;  ///< for sentences
  std::vector<std::string> target_labels_;
  bool has_weights_;
  bool has_noise_;
  double mean_weight_;
};

/// A training set of a known number of rows, from rows that come one after the other.
class TrainingSetMaker {
 public:
  TrainingSetMaker(std::size_t rows, const data::RowSource& source, const Scaling& scaling);

  /// Row `row` of a block. Throws data where a value is too large after scaling.
  void add(const data::RowBlock& block, std::size_t row);

  /// After the last row. Throws data where there were fewer rows than announced; more are refused by `add`.
  TrainingSet finish() &&;

 private:
  RowScaler scaler_;
  TrainingSet set_;
  std::size_t filled_ = 0;       ///< rows
  std::vector<double> weights_;  ///< as given; their mean is known at the end
};

TrainingSet make_training_set(const Dataset& data, const data::Scaler& inputs, const data::Scaler& targets);

}  // namespace credens::learn
