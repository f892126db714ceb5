// SPDX-License-Identifier: Apache-2.0

#include "data/npy_reader.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "data/units.hpp"

namespace credens::data {

NpySlices::NpySlices(std::unique_ptr<ByteSource> bytes, NpyRest rest) : bytes_(std::move(bytes)) {
  constexpr std::size_t longest_header = std::size_t{1} << 20;
  const std::size_t size = bytes_->size();
  layout_ = read_npy_layout(bytes_->window(0, longest_header), size, name(), rest);
  const std::size_t rank = layout_.shape.size();
  const bool is_table = rest == NpyRest::another_array;
  base::require(rank >= 1 && rank <= (is_table ? 2 : 3), ErrorCode::data, "{}: an array of rank {}, expected {}",
                name(), rank, is_table ? "[rows] or [rows, columns]" : "1, 2 or 3");
  rows_ = layout_.shape[rank == 3 ? 1 : 0];
  if (rank > 1) cols_ = layout_.shape.back();
}

std::string_view NpySlices::rest() {
  return bytes_->window(layout_.end(), bytes_->size());
}

void NpySlices::read(std::size_t slab, std::size_t first, std::size_t count, Matrix& into) {
  into.resize(count, cols_);
  read(slab, first, into.values());
}

/// In C order value (slab s, row i, column j) lies at (s rows + i) cols + j.
void NpySlices::read(std::size_t slab, std::size_t first, std::span<double> into) {
  if (into.empty()) return;
  if (layout_.fortran_order) return read_columns(slab, first, into);
  const std::size_t at = layout_.values_at + (slab * rows_ + first) * cols_ * layout_.item_size;
  layout_.convert(bytes_->window(at, into.size() * layout_.item_size).data(), into);
}

/// Value (slab s, row i, column j) lies at s + slabs (i + rows j): the slabs of a row lie together, then its column's
/// other rows.
void NpySlices::read_columns(std::size_t slab, std::size_t first, std::span<double> into) {
  const std::size_t count = into.size() / cols_;
  std::vector<double> run(count * slabs());
  for (std::size_t col = 0; col < cols_; ++col) {
    const std::size_t at = layout_.values_at + (col * rows_ + first) * slabs() * layout_.item_size;
    layout_.convert(bytes_->window(at, run.size() * layout_.item_size).data(), run);
    for (std::size_t row = 0; row < count; ++row) into[row * cols_ + col] = run[row * slabs() + slab];
  }
}

namespace {

std::unique_ptr<ByteSource> without_format(std::unique_ptr<ByteSource> bytes, const TableFormat& format) {
  base::require(!format.header && !format.delimiter, ErrorCode::usage,
                "{}: an array has neither header nor delimiter, but one was given", bytes->name());
  base::require(!format.decimal && !format.unit_line, ErrorCode::usage,
                "{}: an array has neither decimal mark nor line of units, but one was given", bytes->name());
  return bytes;
}

}  // namespace

NpyReader::NpyReader(std::unique_ptr<ByteSource> bytes, const TableFormat& format)
    : array_(without_format(std::move(bytes), format), NpyRest::another_array) {
  const std::string& source = array_.name();
  base::require(array_.rows() > 0 && array_.cols() > 0, ErrorCode::data,
                "{}: {} rows and {} columns, expected at least one of each", source, array_.rows(), array_.cols());
  header_ = {.source = source, .values = Matrix(0, array_.cols())};
  const std::string_view names = array_.rest();
  if (names.empty()) return;
  header_.names = parse_npy_names(names, array_.cols(), source);
  separate_units(header_.names, header_.units);
}

void NpyReader::rewind() {
  next_row_ = 0;
  faults_.clear();
  missing_.clear();
}

std::vector<ColumnContent> NpyReader::contents() {
  return std::vector<ColumnContent>(header_.cols(), {.numbers = array_.rows()});
}

void NpyReader::read_as(std::vector<ColumnReading> columns) {
  for (std::size_t col = 0; col < columns.size(); ++col) {
    base::require(columns[col].kind == ColumnKind::number, ErrorCode::usage,
                  "{}: column {} is to hold words or dates, but an array has numbers only", header_.source, col);
  }
}

const std::vector<std::string>& NpyReader::levels(std::size_t) const {
  static const std::vector<std::string> none;
  return none;
}

bool NpyReader::append(std::vector<double>& values) {
  constexpr std::size_t values_at_once = std::size_t{1} << 19;
  if (next_row_ == array_.rows()) return false;
  const std::size_t cols = header_.cols();
  const std::size_t count = std::min(array_.rows() - next_row_, std::max<std::size_t>(1, values_at_once / cols));
  values.resize(values.size() + count * cols);
  const std::span<double> added = std::span(values).last(count * cols);
  array_.read(0, next_row_, added);
  note_faults(added);
  next_row_ += count;
  return true;
}

void NpyReader::note_faults(std::span<const double> values) {
  const std::size_t cols = header_.cols();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const std::size_t row = next_row_ + i / cols;
    const std::size_t col = i % cols;
    ColumnFaults& faults = std::isnan(values[i]) ? missing_ : faults_;
    faults.resize(cols);
    if (faults[col]) continue;
    faults[col] = {
        .row = row,
        .sentence = fmt::format("{} is {}, expected a finite number", place_of(header_, row, col), values[i])};
  }
}

}  // namespace credens::data
