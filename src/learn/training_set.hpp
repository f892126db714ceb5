// SPDX-License-Identifier: Apache-2.0
//
// Rows as networks are trained on them: scaled, in float, padded for the kernels.

#pragma once

#include <credens/dataset.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "data/row_source.hpp"
#include "learn/training_table.hpp"

namespace credens::learn {

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

  const float* input_row(std::size_t row) const { return input_values.data() + row * input_stride; }
  float weight(std::size_t row) const { return weights.empty() ? 1.0F : weights[row]; }
  float known(std::size_t row, std::size_t output) const {
    return known_variance.empty() ? 0.0F : known_variance[row * outputs + output];
  }
};

/// A copy of some rows, whose weights keep their size.
TrainingSet subset(const TrainingSet& data, std::span<const std::uint32_t> rows);

/// Encodes rows of a source into training sets.
class RowScaler {
 public:
  /// `source` tells which parts its rows have; row weights are divided by `mean_weight`.
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

/// Fills in the weights u_i N / U and their sum U, from the u_i as given or none.
void set_weights(TrainingSet& set, std::span<const double> given);

TrainingSet make_training_set(const Dataset& data, const Scaling& scaling);

}  // namespace credens::learn
