// SPDX-License-Identifier: Apache-2.0
//
// The rows of a fit in network units, prepared once by a second pass over the table: in memory, or stored where they
// are and read in windows. Training, held-out predictions, the choice of the rung, widening and the summary read these.

#pragma once

#include <credens/fit.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "learn/training_set.hpp"

namespace credens::learn {

/// Values of all rows in double and in the order of the table: widening sums these.
struct ExactRows {
  std::vector<double> targets;         ///< [N x q], in network units
  std::vector<double> weights;         ///< as given, or none
  std::vector<double> known_variance;  ///< [N x q], in network units, or none
};

class TrainingRows {
 public:
  /// Warns (options.on_warning) of constant columns, of a target that one value decides, and of known noise below the
  /// floor. `planned` has passed `check`. Rows that are more than a window holds stay stored where planned.memory says
  /// so; throws usage where they cannot be read there at any place, and data where the table has changed since the
  /// first pass. The table must live as long. `validation`: rows of their own for early stopping.
  TrainingRows(const TrainingTable& table, const FitOptions& planned, std::optional<TrainingSet> validation = {});

  /// Rows of one window that are there already.
  TrainingRows(TrainingSet train) : train_(std::move(train)) {}

  const TrainingTable& table() const { return *table_; }
  const Scaling& scaling() const { return scaling_; }

  /// The rows that members may be trained on. With several windows all rows of the table, those of validation among
  /// them; where rows are stored only their numbers.
  const TrainingSet& train() const { return train_; }
  const TrainingSet* validation() const { return validation_ ? &*validation_ : nullptr; }

  /// Rows of the table that no member is trained on, ascending.
  const std::vector<std::uint32_t>& validation_rows() const { return validation_rows_; }

  /// Null: one window holds all rows.
  const Windows* windows() const { return windows_ ? &*windows_ : nullptr; }
  std::size_t largest_window() const { return windows_ ? windows_->largest() : train_.rows; }

  /// The largest sound training loss (learn/divergence.hpp).
  double divergence_limit(NoiseKind noise) const;

  bool are_stored() const { return stored_.has_value(); }
  data::RowRanges ranges() const;  ///< of stored rows; each thread has its own
  const RowScaler& stored_scaler() const { return *stored_; }

  /// A copy of some rows of the table, ascending, whose weight_total is that of all. With several windows.
  TrainingSet pick(const std::vector<std::uint32_t>& rows) const;

  /// Of rows in memory.
  const ExactRows& exact() const { return exact_; }

 private:
  void read_one_window(const FitOptions& options);
  void read_windows(const FitOptions& options);
  void split_block(const data::RowBlock& block, const RowScaler& scaler, std::size_t& next_held);
  void add_exact(const data::RowBlock& block);
  void set_part_weights();

  const TrainingTable* table_ = nullptr;
  Scaling scaling_;
  TrainingSet train_;
  std::optional<TrainingSet> validation_;
  std::vector<std::uint32_t> validation_rows_;
  std::optional<Windows> windows_;
  std::optional<double> divergence_limit_;  ///< with several windows
  std::optional<RowScaler> stored_;         ///< encodes stored rows
  ExactRows exact_;
};

/// Validation rows of a table that one window holds, ascending; at least one, and one is left. rows >= 2.
std::vector<std::uint32_t> validation_part(std::size_t rows, double fraction, std::uint64_t seed);

/// The same with several windows: as many as a window holds at most.
std::vector<std::uint32_t> validation_part(const TrainingTable& table, const FitOptions& options);

}  // namespace credens::learn
