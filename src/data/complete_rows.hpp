// SPDX-License-Identifier: Apache-2.0
//
// Rows whose targets are missing cannot be scored and teach nothing.

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/row_source.hpp"
#include "data/table.hpp"

namespace credens::data {

/// Whether a row, whose targets these are, counts in training and in scores.
bool has_all_targets(std::span<const double> targets);

/// Numbers of the rows that have all their targets, ascending.
std::vector<std::size_t> rows_with_targets(MatrixView targets);

/// Weights of a block's rows: 0 where a target is missing; none where none is given and no target is missing. `room`
/// holds them where they are not the block's own.
std::span<const double> effective_weights(const RowBlock& block, std::vector<double>& room);

/// These rows, in this order.
Matrix select_rows(MatrixView values, std::span<const std::size_t> rows);
std::vector<double> select_rows(std::span<const double> values, std::span<const std::size_t> rows);

/// `3 of 40 rows without target are left out`
std::string left_out_sentence(std::size_t left_out, std::size_t rows);

/// The rows of blocks that have all their targets, in memory of its own.
class CompleteRows {
 public:
  /// Leaves a block as it is where no target is missing. The result is valid until the next call.
  void take(RowBlock& block);
  std::size_t left_out() const { return left_out_; }
  std::size_t rows() const { return rows_; }  ///< of all blocks, also those that were left out

 private:
  DatasetParts parts_;
  std::vector<std::size_t> kept_;
  std::size_t left_out_ = 0;
  std::size_t rows_ = 0;
};

}  // namespace credens::data
