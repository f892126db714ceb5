// SPDX-License-Identifier: Apache-2.0
//
// Delimited text, window by window; the blocks of lines of a window are read on threads.

#pragma once

#include <credens/dataset.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"
#include "data/csv.hpp"
#include "data/encoding.hpp"
#include "data/table.hpp"

namespace credens::data {

/// Every error: `source:line:column: what was found, what was expected`, with line and field counted from 1. Lines that
/// do not form a table throw where they are read, cells that hold no number where their column is used.
class CsvReader : public RowPortions {
 public:
  /// Recognises how the file is written and reads its header.
  CsvReader(std::unique_ptr<ByteSource> bytes, const TableFormat& wanted);

  const Table& header() const override { return header_; }
  bool append(std::vector<double>& values) override;
  void forget_words() override {
    for (std::size_t col = 0; col < is_copied_.size(); ++col) {
      if (is_copied_[col]) words_[col].forget_new();
    }
  }
  std::vector<ColumnContent> contents() override;
  void read_as(std::vector<ColumnReading> columns) override;
  ColumnKind kind(std::size_t col) const override {
    return format_.kinds.empty() ? ColumnKind::number : format_.kinds[col];
  }
  std::optional<bool> has_zone(std::size_t col) const override;
  const std::vector<std::string>& levels(std::size_t col) const override { return words_[col].words(); }
  const ColumnFaults& faults() const override { return faults_; }
  const ColumnFaults& missing() const override { return missing_; }
  std::size_t count_rows() override;
  std::size_t guess_rows() const override;
  void rewind() override;

 private:
  void read_head(const TableFormat& wanted);
  void read_names(std::string_view& text);
  std::string_view next_window(std::size_t first);
  std::string_view next_arrived(std::size_t first);
  std::optional<std::string_view> rows_of(std::string_view text, std::size_t first, bool is_last);
  void read_blocks(std::string_view lines);
  void note_faults(const RowReader& block);
  void note(const std::vector<CellFault>& found, ColumnFaults& faults) const;
  void check_zones(const RowReader& block);
  std::string_view usable_word(const RowReader& block, std::size_t col, std::size_t place, std::string& room);
  void take_words(RowReader& block);

  std::unique_ptr<ByteSource> bytes_;
  int threads_;
  /// The end of the last row, in bytes, without its line end; blank lines may follow. The largest number while it is
  /// not known.
  std::size_t end_ = 0;
  std::size_t first_ = 0;  ///< of row 0
  RowFormat format_;
  Table header_;

  std::size_t at_ = 0;    ///< where the next window starts
  std::size_t rows_ = 0;  ///< read so far
  std::vector<RowReader> blocks_;
  std::vector<std::string_view> block_lines_;
  ColumnFaults faults_;
  ColumnFaults missing_;
  std::vector<WordIndex> words_;  ///< by column
  std::vector<bool> is_copied_;   ///< by column; empty: none is
  std::vector<int> zones_;        ///< as RowReader::zone
  TextEncoding name_encoding_;    ///< as the names tell
  TextEncoding encoding_;         ///< as the words read so far tell
  bool has_warned_ = false;       ///< of words that are not UTF-8
};

}  // namespace credens::data
