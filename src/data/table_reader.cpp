// SPDX-License-Identifier: Apache-2.0

#include "data/table_reader.hpp"

#include <algorithm>

namespace credens::data {

namespace {

/// Those that rows before `end` have.
std::vector<std::optional<ColumnFault>> faults_before(std::size_t end,
                                                      const std::vector<std::optional<ColumnFault>>& faults) {
  const auto is_before = [&](const auto& fault) { return fault && fault->row < end; };
  if (std::none_of(faults.begin(), faults.end(), is_before)) return {};
  std::vector<std::optional<ColumnFault>> before(faults.size());
  for (std::size_t col = 0; col < faults.size(); ++col) {
    if (is_before(faults[col])) before[col] = faults[col];
  }
  return before;
}

}  // namespace

TableReader::TableReader(const std::filesystem::path& path, const TableFormat& format, FileKind kind)
    : TableReader(open_table(path, format, kind)) {}

TableReader::TableReader(std::unique_ptr<RowPortions> portions) : portions_(std::move(portions)) {}

void TableReader::rewind() {
  portions_->rewind();
  waiting_.clear();
  taken_ = 0;
  next_row_ = 0;
}

void TableReader::read_ahead() {
  if (waiting_rows() >= block_rows) return;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken_ * header().cols()));
  taken_ = 0;
  while (waiting_rows() < block_rows && portions_->append(waiting_)) {
  }
}

bool TableReader::next(Table& block) {
  read_ahead();
  const std::size_t count = std::min(block_rows, waiting_rows());
  if (count == 0) return false;
  const std::size_t cols = header().cols();
  if (block.rows() != count || block.cols() != cols) block.values = Matrix(count, cols);
  std::copy_n(waiting_.data() + taken_ * cols, count * cols, block.values.data());
  block.source = header().source;
  block.names = header().names;
  block.first_line = header().first_line;
  block.first_row = next_row_;
  taken_ += count;
  next_row_ += count;
  block.faults = faults_before(next_row_, portions_->faults());
  return true;
}

}  // namespace credens::data
