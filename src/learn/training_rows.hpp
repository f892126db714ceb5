// SPDX-License-Identifier: Apache-2.0
//
// The rows of a fit, which are read more often than once, and what the first pass over them told.

#pragma once

#include <credens/dataset.hpp>

#include <memory>

#include "data/row_source.hpp"
#include "data/row_summary.hpp"

namespace credens::learn {

class TrainingRows {
 public:
  explicit TrainingRows(std::unique_ptr<data::RowSource> source)
      : source_(std::move(source)), summary_(data::summarise(*source_)) {}

  /// A dataset is such rows too; it must live as long.
  TrainingRows(const Dataset& dataset) : TrainingRows(data::rows_of(dataset)) {}

  data::RowSource& source() const { return *source_; }
  const DatasetParts& layout() const { return source_->layout(); }
  const data::RowSummary& summary() const { return summary_; }
  std::size_t rows() const { return summary_.rows; }
  std::size_t inputs() const { return layout().inputs.cols(); }
  std::size_t outputs() const { return layout().targets.cols(); }
  bool has_noise() const { return layout().noise_std.cols() > 0; }

 private:
  std::unique_ptr<data::RowSource> source_;
  data::RowSummary summary_;
};

}  // namespace credens::learn
