// SPDX-License-Identifier: Apache-2.0

#include "data/npy_reader.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "data/npy_names.hpp"

namespace credens::data {

NpyReader::NpyReader(std::unique_ptr<ByteSource> bytes, const TableFormat& format) : bytes_(std::move(bytes)) {
  constexpr std::size_t longest_header = std::size_t{1} << 20;
  const std::string& source = bytes_->name();
  base::require(!format.header && !format.delimiter, ErrorCode::usage,
                "{}: an array has neither header nor delimiter, but one was given", source);
  const std::size_t size = bytes_->size();
  layout_ = read_npy_layout(bytes_->window(0, longest_header), size, source, NpyRest::another_array);
  const std::size_t rank = layout_.shape.size();
  base::require(rank == 1 || rank == 2, ErrorCode::data, "{}: an array of rank {}, expected [rows] or [rows, columns]",
                source, rank);
  rows_ = layout_.shape[0];
  const std::size_t cols = rank == 2 ? layout_.shape[1] : 1;
  base::require(rows_ > 0 && cols > 0, ErrorCode::data, "{}: {} rows and {} columns, expected at least one of each",
                source, rows_, cols);
  header_ = {.source = source, .values = Matrix(0, cols)};
  if (layout_.end() < size) header_.names = parse_npy_names(bytes_->window(layout_.end(), size), cols, source);
}

void NpyReader::rewind() {
  next_row_ = 0;
  faults_.clear();
}

bool NpyReader::append(std::vector<double>& values) {
  constexpr std::size_t values_at_once = std::size_t{1} << 19;
  if (next_row_ == rows_) return false;
  const std::size_t cols = header_.cols();
  const std::size_t count = std::min(rows_ - next_row_, std::max<std::size_t>(1, values_at_once / cols));
  values.resize(values.size() + count * cols);
  const std::span<double> added = std::span(values).last(count * cols);
  if (layout_.fortran_order) {
    copy_columns(count, added);
  } else {
    copy_rows(count, added);
  }
  note_faults(added);
  next_row_ += count;
  return true;
}

void NpyReader::copy_rows(std::size_t count, std::span<double> values) {
  const std::size_t row_size = header_.cols() * layout_.item_size;
  layout_.convert(bytes_->window(layout_.values_at + next_row_ * row_size, count * row_size).data(), values);
}

/// Where the rows of a column lie together.
void NpyReader::copy_columns(std::size_t count, std::span<double> values) {
  const std::size_t cols = header_.cols();
  std::vector<double> column(count);
  for (std::size_t col = 0; col < cols; ++col) {
    const std::size_t first = layout_.values_at + (col * rows_ + next_row_) * layout_.item_size;
    layout_.convert(bytes_->window(first, count * layout_.item_size).data(), column);
    for (std::size_t row = 0; row < count; ++row) values[row * cols + col] = column[row];
  }
}

void NpyReader::note_faults(std::span<const double> values) {
  const std::size_t cols = header_.cols();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const std::size_t row = next_row_ + i / cols;
    const std::size_t col = i % cols;
    faults_.resize(cols);
    if (faults_[col]) continue;
    faults_[col] = {
        .row = row,
        .sentence = fmt::format("{} is {}, expected a finite number", place_of(header_, row, col), values[i])};
  }
}

}  // namespace credens::data
