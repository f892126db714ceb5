// SPDX-License-Identifier: Apache-2.0

#include "data/npy_reader.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "data/date.hpp"
#include "data/kinds.hpp"
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
  columns_ = parse_npy_columns(array_.rest(), array_.cols(), source);
  header_.names = columns_.names;
  if (!header_.names.empty()) separate_units(header_.names, header_.units);
}

ColumnKind NpyReader::file_kind(std::size_t col) const {
  return columns_.kinds.empty() ? ColumnKind::number : columns_.kinds[col];
}

void NpyReader::rewind() {
  next_row_ = 0;
  faults_.clear();
  missing_.clear();
}

std::vector<ColumnContent> NpyReader::contents() {
  std::vector<ColumnContent> contents(header_.cols());
  for (std::size_t col = 0; col < contents.size(); ++col) {
    const ColumnKind kind = file_kind(col);
    ColumnContent& content = contents[col];
    (kind == ColumnKind::number ? content.numbers
     : kind == ColumnKind::date ? content.dates
                                : content.words) = array_.rows();
  }
  return contents;
}

/// Times that were packed know whether they have one; plain numbers that are to be dates do not.
std::optional<bool> NpyReader::has_zone(std::size_t col) const {
  return file_kind(col) == ColumnKind::date ? std::optional(bool{columns_.zones[col]}) : std::nullopt;
}

/// Words and dates that are asked for as numbers are faults, as in a text file.
void NpyReader::read_as(std::vector<ColumnReading> columns) {
  for (std::size_t col = 0; col < columns.size(); ++col) {
    const ColumnKind kind = columns[col].kind;
    base::require(kind == ColumnKind::number || kind == file_kind(col), ErrorCode::usage,
                  "{}: {} is to hold {}, but the array has {}", header_.source, label_of(col, header_.names),
                  plural_of(kind), plural_of(file_kind(col)));
    const std::optional<bool> found = has_zone(col);
    base::require(kind != ColumnKind::date || columns[col].has_zone.value_or(*found) == *found, ErrorCode::data,
                  "{}: {} {}", header_.source, label_of(col, header_.names), zone_complaint(found.value_or(false)));
  }
  codes_ = NpyCodes(columns_, std::move(columns));
}

RowTranslation NpyReader::translation() const {
  if (columns_.kinds.empty()) return {};
  return [codes = codes_](std::span<double> rows) { codes.translate(rows); };
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
  codes_.translate(added);
  next_row_ += count;
  return true;
}

/// Words and dates where numbers are asked for, and codes that stand for no word.
std::optional<std::string> NpyReader::foreign(std::size_t col, double value) const {
  const ColumnKind kind = file_kind(col);
  if (codes_.kind(col) != kind) return fmt::format("holds {}, expected numbers", plural_of(kind));
  if (kind != ColumnKind::category) return std::nullopt;
  const std::size_t words = columns_.levels[col].size();
  if (value >= 0 && value < static_cast<double>(words) && std::floor(value) == value) return std::nullopt;
  return fmt::format("is {}, expected the code of one of {}", value, count_of(words, "word"));
}

void NpyReader::note_faults(std::span<const double> values) {
  const std::size_t cols = header_.cols();
  const bool are_numbers = columns_.kinds.empty();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t col = i % cols;
    std::optional<std::string> found;
    if (!std::isfinite(values[i])) {
      found = fmt::format("is {}, expected a finite number", values[i]);
    } else if (!are_numbers) {
      found = foreign(col, values[i]);
    }
    if (!found) continue;
    const std::size_t row = next_row_ + i / cols;
    ColumnFaults& faults = std::isnan(values[i]) ? missing_ : faults_;
    faults.resize(cols);
    if (!faults[col]) faults[col] = {.row = row, .sentence = fmt::format("{} {}", place_of(header_, row, col), *found)};
  }
}

}  // namespace credens::data
