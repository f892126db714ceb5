// SPDX-License-Identifier: Apache-2.0
//
// The table of a fit as it is given, and what the first pass over it told.

#pragma once

#include <credens/dataset.hpp>

#include <memory>

#include "data/row_source.hpp"
#include "data/row_summary.hpp"
#include "learn/windows.hpp"

namespace credens::learn {

/// From the units of the data to those of the networks.
struct Scaling {
  data::Scaler inputs;
  data::Scaler targets;
};

class TrainingTable {
 public:
  /// Reads all rows once. `with_sample`: inputs may get an asinh transform. `window` is another than the usual in tests
  /// alone.
  explicit TrainingTable(std::unique_ptr<data::RowSource> source, bool with_sample = true,
                         const WindowSize& window = {})
      : source_(std::move(source)), summary_(data::summarise(*source_, with_sample)), window_(window) {}

  /// The dataset must live as long.
  TrainingTable(const Dataset& dataset, const WindowSize& window = {})
      : TrainingTable(data::rows_of(dataset), true, window) {}

  data::RowSource& source() const { return *source_; }
  const data::Schema& schema() const { return source_->schema(); }
  const data::RowSummary& summary() const { return summary_; }
  std::size_t rows() const { return summary_.rows; }
  std::size_t inputs() const { return schema().inputs.size(); }
  std::size_t outputs() const { return schema().targets.size(); }
  bool has_noise() const { return schema().has_noise; }

  /// Bytes of a row in network units.
  std::size_t row_bytes() const {
    return learn::row_bytes(inputs(), outputs(), schema().weight.has_value(), has_noise());
  }
  Windows windows() const { return Windows(rows(), row_bytes(), window_); }
  std::size_t window_bytes() const { return window_.window; }

  /// Targets are standardised by all rows, inputs too where that is wanted, and heavy-tailed inputs get an asinh
  /// transform before (data/row_summary.hpp) where that is.
  Scaling scaling(bool standardise_inputs, bool asinh_inputs) const;

 private:
  std::unique_ptr<data::RowSource> source_;
  data::RowSummary summary_;
  WindowSize window_;
};

}  // namespace credens::learn
