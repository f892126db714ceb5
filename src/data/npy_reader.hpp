// SPDX-License-Identifier: Apache-2.0
//
// The rows of an .npy file: some at a time in any order, or from the first to the last as those of a table.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/byte_source.hpp"
#include "data/npy.hpp"
#include "data/npy_words.hpp"
#include "data/table.hpp"

namespace credens::data {

/// An array [rows], [rows x cols] or, if nothing may stand behind it, [slabs x rows x cols]; of no more than the rows
/// asked for is there a copy.
class NpySlices {
 public:
  /// Throws io, or data for what is no such array.
  explicit NpySlices(const std::filesystem::path& path, NpyRest rest = NpyRest::nothing)
      : NpySlices(std::make_unique<ByteSource>(path), rest) {}
  NpySlices(std::unique_ptr<ByteSource> bytes, NpyRest rest);

  const std::vector<std::size_t>& shape() const { return layout_.shape; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  const std::string& name() const { return bytes_->name(); }  ///< how sentences call it

  /// Rows [first, first + count) of a slab, which is 0 for arrays of rank 1 and 2.
  void read(std::size_t slab, std::size_t first, std::size_t count, Matrix& into);
  void read(std::size_t slab, std::size_t first, std::span<double> into);  ///< as many rows as there is room for

  std::string_view rest();  ///< the bytes behind the values

 private:
  std::size_t slabs() const { return layout_.shape.size() == 3 ? layout_.shape.front() : 1; }
  void read_columns(std::size_t slab, std::size_t first, std::span<double> into);

  std::unique_ptr<ByteSource> bytes_;
  NpyLayout layout_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 1;
};

class NpyReader : public RowPortions {
 public:
  /// An array [N] or [N x cols], N and cols > 0, and perhaps names, kinds and words of its columns behind it; a header
  /// or delimiter in `format` throws usage.
  NpyReader(std::unique_ptr<ByteSource> bytes, const TableFormat& format);

  const Table& header() const override { return header_; }
  bool append(std::vector<double>& values) override;
  std::vector<ColumnContent> contents() override;
  void read_as(std::vector<ColumnReading> columns) override;
  ColumnKind kind(std::size_t col) const override { return codes_.kind(col); }
  std::optional<bool> has_zone(std::size_t col) const override;
  const std::vector<std::string>& levels(std::size_t col) const override { return codes_.levels(col); }
  RowTranslation translation() const override;
  const ColumnFaults& faults() const override { return faults_; }
  const ColumnFaults& missing() const override { return missing_; }
  std::size_t count_rows() override { return array_.rows(); }
  std::size_t guess_rows() const override { return array_.rows(); }
  void rewind() override;

 private:
  ColumnKind file_kind(std::size_t col) const;
  void note_faults(std::span<const double> values);
  std::optional<std::string> foreign(std::size_t col, double value) const;

  NpySlices array_;
  NpyColumns columns_;
  NpyCodes codes_;
  Table header_;
  std::size_t next_row_ = 0;
  ColumnFaults faults_;
  ColumnFaults missing_;
};

}  // namespace credens::data
