// SPDX-License-Identifier: Apache-2.0
//
// Rows as networks are trained on them: scaled, in float, padded for the kernels. Those of a fit are prepared once by a
// second pass over the table: in memory, or stored where they are and read in windows. Training, held-out predictions,
// the choice of the rung, widening and the summary read these.

#pragma once

#include <credens/fit.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "learn/training_table.hpp"

namespace credens::learn {

/// N encoded rows, d numbers, q outputs, in network units.
struct TrainingSet {
  std::size_t rows = 0;
  std::size_t inputs = 0;  ///< d
  Task task = Task::regression;
  std::size_t outputs = 0;                  ///< q; C classes
  std::size_t target_columns = 0;           ///< q; 1 for classes, or C for shares of classes
  std::size_t input_stride = 0;             ///< that of an encoded row, padded
  base::AlignedVector<float> input_values;  ///< [N x input_stride]
  std::vector<float> targets;               ///< [N x target_columns]; numbers of classes, or shares
  std::vector<float> weights;               ///< N with mean 1, or none
  std::vector<float> known_variance;        ///< [N x q], or none
  double weight_total = 0;  ///< sum of the row weights as given; N without weights: the N of the MAP loss
  std::size_t flags = 0;    ///< floats of a row after its numbers; the codes of words follow
  std::vector<data::LevelTable> tables = {};  ///< of the words
  bool has_missing = false;                   ///< a number is NaN

  const float* input_row(std::size_t row) const { return input_values.data() + row * input_stride; }
  float weight(std::size_t row) const { return weights.empty() ? 1.0F : weights[row]; }
  std::span<const float> target_row(std::size_t row) const {
    return std::span(targets).subspan(row * target_columns, target_columns);
  }
  float known(std::size_t row, std::size_t output) const {
    return known_variance.empty() ? 0.0F : known_variance[row * outputs + output];
  }
};

/// A copy of some rows, whose weights keep their size.
TrainingSet subset(const TrainingSet& data, std::span<const std::uint32_t> rows);

/// Encodes rows of a source into training sets.
class RowScaler {
 public:
  /// `schema` tells which parts the rows have, and names them; row weights are divided by `mean_weight`.
  RowScaler(const data::Schema& schema, Scaling scaling, bool has_weights, double mean_weight);

  TrainingSet set_of(std::size_t rows) const;  ///< with room for them

  /// Rows [first, first + count) of a block become those from `at` on; a row without target has the target 0 and the
  /// weight 0. Throws data where a value is too large after scaling.
  void write(const data::RowBlock& block, std::size_t first, std::size_t count, TrainingSet& set, std::size_t at) const;

 private:
  void write_inputs(const data::RowBlock& block, std::size_t first, std::size_t count, TrainingSet& set,
                    std::size_t at) const;

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

/// Values of rows in double and in the order of the table: widening sums these.
struct ExactRows {
  std::vector<double> targets;         ///< [N x q], in network units; numbers of classes, or shares
  std::vector<double> weights;         ///< as given, or none
  std::vector<double> known_variance;  ///< [N x q], in network units, or none
};

/// Throws data where the noise is no use, and where a target is no class. `has_weights`: whether all rows together have
/// some.
void append(const data::RowBlock& block, const Scaling& scaling, bool has_weights, ExactRows& rows);

class TrainingRows {
 public:
  /// Warns (options.on_warning) of constant columns, of a target that one value decides, and of known noise below the
  /// floor. `planned` has passed `check`. Rows that are more than a window holds stay stored where planned.memory says
  /// so; throws usage where they cannot be read there at any place, and data where the table has changed since the
  /// first pass. The table must live as long. `validation`: rows of their own for early stopping.
  TrainingRows(const TrainingTable& table, const FitOptions& planned, std::optional<TrainingSet> validation = {});

  /// Rows of one window that are there already.
  TrainingRows(TrainingSet train, std::optional<TrainingSet> validation = {})
      : train_(std::move(train)), units_(train_.rows), validation_(std::move(validation)) {}

  const TrainingTable& table() const { return *table_; }
  const Scaling& scaling() const { return scaling_; }

  /// Values that a member may take for a missing number, by number (learn/unseen.hpp); none for rows without a table.
  const std::vector<std::vector<float>>& number_values() const { return number_values_; }

  /// The rows that members may be trained on. With several windows all rows of the table, those of validation among
  /// them; where rows are stored only their numbers.
  const TrainingSet& train() const { return train_; }
  const FoldUnits& units() const { return units_; }  ///< of train()
  const TrainingSet* validation() const { return validation_ ? &*validation_ : nullptr; }

  /// Rows of the table that no member is trained on, ascending.
  const std::vector<std::uint32_t>& validation_rows() const { return validation_rows_; }

  /// Null: one window holds all rows.
  const Windows* windows() const { return windows_ ? &*windows_ : nullptr; }
  std::size_t largest_window() const { return windows_ ? windows_->largest() : train_.rows; }

  /// The largest sound training loss (learn/divergence.hpp).
  double divergence_limit(NoiseKind noise) const;

  bool are_stored() const { return stored_.has_value(); }
  const RowScaler& stored_scaler() const { return *stored_; }

  /// A copy of some rows of the table, ascending, whose weight_total is that of all. With several windows.
  TrainingSet pick(const std::vector<std::uint32_t>& rows) const;

  /// The exact values; only where rows are in memory.
  const ExactRows& exact() const { return exact_; }

 private:
  void read_one_window(const FitOptions& options);
  void read_windows(const FitOptions& options);

  const TrainingTable* table_ = nullptr;
  Scaling scaling_;
  std::vector<std::vector<float>> number_values_;
  TrainingSet train_;
  FoldUnits units_;
  std::optional<TrainingSet> validation_;
  std::vector<std::uint32_t> validation_rows_;
  std::optional<Windows> windows_;
  std::optional<double> divergence_limit_;  ///< with several windows
  std::optional<RowScaler> stored_;         ///< encodes stored rows
  ExactRows exact_;
};

/// Rows that `options.validation_fraction` takes for validation, ascending; at least one, and one is left. With several
/// windows as many as a window holds at most. Units are taken whole, in time the last ones. The table has at least 2
/// rows.
std::vector<std::uint32_t> validation_part(const TrainingTable& table, const FitOptions& options);

}  // namespace credens::learn
