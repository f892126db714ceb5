// SPDX-License-Identifier: Apache-2.0
//
// The rows of a fit, which are read more often than once, and what the first pass over them told.

#pragma once

#include <credens/dataset.hpp>

#include <memory>
#include <optional>

#include "base/team.hpp"
#include "data/heavy_tails.hpp"
#include "data/row_source.hpp"
#include "data/row_summary.hpp"
#include "learn/windows.hpp"

namespace credens::learn {

class TrainingRows {
 public:
  /// `window` is another than the usual in tests alone.
  explicit TrainingRows(std::unique_ptr<data::RowSource> source, const WindowSize& window = {})
      : source_(std::move(source)), summary_(data::summarise(*source_)), window_(window) {}

  /// A dataset is such rows too; it must live as long.
  TrainingRows(const Dataset& dataset, const WindowSize& window = {}) : TrainingRows(data::rows_of(dataset), window) {}

  /// The processes that share the work on all rows; all of them must come to it.
  void set_team(base::Team& team) { team_ = &team; }
  base::Team& team() const { return *team_; }

  data::RowSource& source() const { return *source_; }
  const DatasetParts& layout() const { return source_->layout(); }
  const data::RowSummary& summary() const { return summary_; }
  std::size_t rows() const { return summary_.rows; }
  std::size_t inputs() const { return layout().inputs.cols(); }
  std::size_t outputs() const { return layout().targets.cols(); }
  bool has_noise() const { return layout().noise_std.cols() > 0; }
  std::size_t row_bytes() const { return learn::row_bytes(inputs(), outputs(), source_->has_weights(), has_noise()); }
  /// Inputs standardised, those that are heavy-tailed bent before. Found once, by up to three passes over the rows.
  const data::Scaler& bent_inputs() const {
    if (!bent_inputs_) {
      bent_inputs_ = data::bending_scaler(*source_, summary_.inputs, data::input_labels(layout()));
    }
    return *bent_inputs_;
  }

  Windows windows() const { return Windows(rows(), row_bytes(), window_); }
  std::size_t window_bytes() const { return window_.window; }

 private:
  std::unique_ptr<data::RowSource> source_;
  data::RowSummary summary_;
  base::Team* team_ = &base::alone();
  WindowSize window_;
  mutable std::optional<data::Scaler> bent_inputs_;
};

}  // namespace credens::learn
