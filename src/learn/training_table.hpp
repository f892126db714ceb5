// SPDX-License-Identifier: Apache-2.0
//
// The table of a fit as it is given, what the first pass over it told, and how its rows are cut where they are more
// than a window holds: blocks are consecutive rows, a window is some of the blocks. Rows in memory and rows in a file
// have the same blocks, so that both give the same bytes.

#pragma once

#include <credens/dataset.hpp>
#include <credens/fit.hpp>

#include <cstdint>
#include <memory>

#include "data/row_source.hpp"
#include "data/row_summary.hpp"
#include "learn/fold_units.hpp"

namespace credens::learn {

/// Memory for rows: the given size, or half of what this process may have.
std::uint64_t memory_for_rows(MemorySize given);

/// How many of options.threads may have a window of this many bytes each.
int windows_at_once(const FitOptions& options, std::size_t window_bytes);

/// Size of a window in bytes of rows in network units. Fixed, because with more rows than a window holds every result
/// depends on it; other numbers are for tests.
struct WindowSize {
  std::size_t window = std::size_t{256} << 20;
  std::size_t block = std::size_t{256} << 10;
};

struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Windows {
 public:
  Windows(std::size_t rows, std::size_t row_bytes, const WindowSize& size);

  bool is_one() const { return windows_ == 1; }  ///< all rows fit into one window; their blocks do not matter
  std::size_t count() const { return windows_; }
  std::size_t blocks() const { return blocks_; }
  std::size_t block_of(std::size_t row) const { return row / block_rows_; }
  RowRange rows_of(std::size_t block) const;  ///< the last block may have fewer than the others

  /// Places of a window's blocks in an epoch's order of blocks. Windows differ by one block at most.
  RowRange blocks_of(std::size_t window) const;

  std::size_t largest() const;  ///< rows of a window at most

 private:
  std::size_t rows_;
  std::size_t block_rows_;
  std::size_t blocks_;
  std::size_t windows_;
};

/// From the units of the data to those of the networks.
struct Scaling {
  data::Encoder inputs;
  data::Scaler targets;        ///< one column per column of targets; classes have no scale
  data::Classes classes = {};  ///< none for a regression

  std::size_t outputs() const { return classes.count() > 0 ? classes.count() : targets.cols(); }
};

/// Parts of a table that do not count in training.
struct LeavesOut {
  bool slips = false;   ///< targets that are hard to believe
  bool inputs = false;  ///< columns that nothing can be learned of
};

class TrainingTable {
 public:
  /// Reads all rows once, and once more where columns are left out. `window` is another than the usual in tests alone.
  /// Throws data where no input would be left.
  explicit TrainingTable(std::unique_ptr<data::RowSource> source, const WindowSize& window = {},
                         const LeavesOut& leaves_out = {});

  /// The dataset must live as long.
  TrainingTable(const Dataset& dataset, const WindowSize& window = {})
      : TrainingTable(data::rows_of(dataset), window) {}

  data::RowSource& source() const { return *source_; }
  const data::Schema& schema() const { return source_->schema(); }
  const data::RowSummary& summary() const { return summary_; }
  std::size_t rows() const { return summary_.rows; }
  std::size_t inputs() const { return schema().inputs.size(); }
  /// Units of the head that stand for targets: one per target, or one per class.
  std::size_t outputs() const { return schema().is_classification() ? classes_.count() : target_columns(); }
  std::size_t target_columns() const { return schema().targets.size(); }
  const data::Classes& classes() const { return classes_; }  ///< none for a regression
  bool has_noise() const { return schema().has_noise; }
  /// Rows without target have the weight 0.
  bool has_weights() const {
    return schema().weight.has_value() || schema().has_counts() || summary_.rows_without_target > 0;
  }
  std::size_t numbers() const;  ///< inputs that are numbers or dates

  /// Rows of this table that are held out together. More rows than a window holds are held out one by one.
  const FoldUnits& fold_units() const { return fold_units_; }

  /// Rows whose targets are hard to believe, ascending: they have the weight 0. None are looked for among more rows
  /// than a window holds.
  const std::vector<std::uint32_t>& slips() const { return slips_; }

  /// One sentence for each column that is left out.
  const std::vector<std::string>& left_out_inputs() const { return left_out_inputs_; }

  /// Bytes of a row in network units.
  std::size_t row_bytes() const;
  Windows windows() const { return Windows(rows(), row_bytes(), window_); }
  std::size_t window_bytes() const { return window_.window; }

  /// Inputs that get an asinh transform where that is wanted.
  std::vector<std::size_t> heavy_tailed_inputs() const {
    return data::heavy_tailed_columns(summary_.inputs, inputs_without_numbers());
  }

  /// Targets are standardised by all rows, inputs too where that is wanted, and heavy-tailed inputs get an asinh
  /// transform before (data/row_summary.hpp) where that is.
  Scaling scaling(bool standardise_inputs, bool asinh_inputs) const;

 private:
  std::size_t plain_row_bytes() const;
  std::vector<std::size_t> inputs_without_numbers() const;  ///< words and dates
  data::RowSummary summarise(bool leaves_out_inputs);

  WindowSize window_;
  std::unique_ptr<data::RowSource> source_;
  std::vector<std::string> left_out_inputs_;
  data::RowSummary summary_;
  data::Classes classes_;
  std::vector<data::InputEncoding> encodings_;
  FoldUnits fold_units_;
  std::vector<std::uint32_t> slips_;
};

}  // namespace credens::learn
