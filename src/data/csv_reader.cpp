// SPDX-License-Identifier: Apache-2.0

#include "data/csv_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "data/csv_head.hpp"

namespace credens::data {

namespace {

// A value takes at least one character and becomes eight bytes: a window and its values stay below 64 MB.
constexpr std::size_t window_size = std::size_t{4} << 20;
constexpr std::size_t block_size = std::size_t{128} << 10;  // a block and its values stay in a core's cache

/// Cuts at the first line end at or after every `block_size` characters.
void cut_blocks(std::string_view lines, std::vector<std::string_view>& blocks) {
  blocks.clear();
  while (!lines.empty()) {
    const std::size_t line_end = lines.size() > block_size ? lines.find('\n', block_size) : std::string_view::npos;
    const std::size_t size = line_end == std::string_view::npos ? lines.size() : line_end + 1;
    blocks.push_back(lines.substr(0, size));
    lines.remove_prefix(size);
  }
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> bytes, const TableFormat& wanted)
    : bytes_(std::move(bytes)), threads_(wanted.threads) {
  CsvHead head = read_csv_head(*bytes_, wanted);
  format_ = std::move(head.format);
  first_ = head.first_row_at;
  end_ = head.end;
  header_ = {.source = format_.source,
             .names = format_.names,
             .values = Matrix(0, format_.cols),
             .first_line = format_.first_line()};
  rewind();
}

void CsvReader::rewind() {
  at_ = first_;
  rows_ = 0;
  faults_.clear();
}

/// Whole lines that have come, at least one. A megabyte without a row is most likely blank lines: it is looked through
/// again when twice as much has come, not with every piece.
std::string_view CsvReader::next_arrived(std::size_t first) {
  constexpr std::size_t much = std::size_t{1} << 20;
  for (std::size_t least = 1;;) {
    const std::size_t most = std::max(window_size, least);
    const std::string_view text = bytes_->arrived(first, least, most);
    const std::optional<std::string_view> rows = rows_of(text, first, text.size() < most && bytes_->ended());
    if (rows) return *rows;
    least = text.size() < much ? text.size() + 1 : 2 * text.size();
  }
}

/// Whole lines from `first` on: a window of them, or one line that is longer.
std::string_view CsvReader::next_window(std::size_t first) {
  if (end_ == unknown_end) return next_arrived(first);
  for (std::size_t size = window_size;; size *= 2) {
    const std::string_view text = bytes_->window(first, std::min(size, end_ - first));
    if (first + text.size() == end_) return text;
    const std::size_t last_end = text.rfind('\n');
    if (last_end != std::string_view::npos) return text.substr(0, last_end + 1);
  }
}

/// Where nobody knows the end of the file before it comes, blank lines wait until it is known whether they are the
/// last.
std::optional<std::string_view> CsvReader::rows_of(std::string_view text, std::size_t first, bool is_last) {
  if (!is_last) text = text.substr(0, text.rfind('\n') + 1);
  const std::size_t size = rows_size(text, format_.dialect.delimiter);
  if (is_last) {
    end_ = first + size;
    check_rows(first_, end_, format_.source);
    return text.substr(0, size);
  }
  if (size == 0) return std::nullopt;
  return text.substr(0, size + 1);
}

void CsvReader::read_blocks(std::string_view lines) {
  cut_blocks(lines, block_lines_);
  while (blocks_.size() < block_lines_.size()) blocks_.emplace_back(format_);
  base::parallel_for(block_lines_.size(), threads_, [&](std::size_t i) { blocks_[i].read(block_lines_[i]); });
}

bool CsvReader::append(std::vector<double>& values) {
  if (at_ >= end_) return false;
  const std::string_view lines = next_window(at_);
  read_blocks(lines);
  for (std::size_t i = 0; i < block_lines_.size(); ++i) {
    const RowReader& block = blocks_[i];
    note_faults(block);
    rows_ += block.rows();
    if (block.broken()) {
      std::vector<Field> fields;
      cut_row(format_, *block.broken(), format_.first_line() + rows_, fields);
    }
    values.insert(values.end(), block.values().begin(), block.values().end());
  }
  at_ += lines.size();
  return true;
}

/// Of a block that starts at row `rows_`.
void CsvReader::note_faults(const RowReader& block) {
  for (const CellFault& fault : block.faults()) {
    faults_.resize(format_.cols);
    if (faults_[fault.col]) continue;
    const std::size_t row = rows_ + fault.row;
    faults_[fault.col] = {.row = row, .sentence = sentence_of(format_, fault, row)};
  }
}

std::size_t CsvReader::count_rows() {
  std::size_t count = 1;  // the last line has no end
  for (std::size_t first = first_; first < end_; first += window_size) {
    const std::string_view text = bytes_->window(first, std::min(window_size, end_ - first));
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) ++count;
  }
  // A value takes at least one character, its delimiter. Where that many rows cannot be there one is ragged, and
  // reading tells which; so a hostile file cannot make anyone allocate for rows that it does not have.
  if (count > (end_ - first_ + 1) / format_.cols) {
    rewind();
    for (std::vector<double> values; append(values);) values.clear();
  }
  return count;
}

std::size_t CsvReader::guess_rows() const {
  if (end_ == unknown_end) return 0;
  const double share = static_cast<double>(at_ - first_) / static_cast<double>(end_ - first_);
  return static_cast<std::size_t>(static_cast<double>(rows_) / std::max(share, 1e-9));
}

}  // namespace credens::data
