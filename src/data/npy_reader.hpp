// SPDX-License-Identifier: Apache-2.0
//
// The rows of an .npy file.

#pragma once

#include <credens/dataset.hpp>

#include <memory>

#include "data/byte_source.hpp"
#include "data/npy.hpp"
#include "data/row_portions.hpp"

namespace credens::data {

class NpyReader : public RowPortions {
 public:
  /// An array [N] or [N x cols], N and cols > 0, and perhaps the names of its columns behind it; a header or delimiter
  /// in `format` throws usage.
  NpyReader(std::unique_ptr<ByteSource> bytes, const TableFormat& format);

  const Table& header() const override { return header_; }
  bool append(std::vector<double>& values) override;
  const std::vector<std::optional<ColumnFault>>& faults() const override { return faults_; }
  std::size_t count_rows() override { return rows_; }
  std::size_t guess_rows() const override { return rows_; }
  void rewind() override;

 private:
  void copy_rows(std::size_t count, std::span<double> values);
  void copy_columns(std::size_t count, std::span<double> values);
  void note_faults(std::span<const double> values);

  std::unique_ptr<ByteSource> bytes_;
  NpyLayout layout_;
  std::size_t rows_ = 0;
  Table header_;
  std::size_t next_row_ = 0;
  std::vector<std::optional<ColumnFault>> faults_;
};

}  // namespace credens::data
