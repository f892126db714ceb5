// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "base/check.hpp"
#include "data/csv.hpp"
#include "data/table.hpp"

namespace credens::data {

namespace {

inline const char* skip_blanks(const char* first, const char* last, char delimiter) {
  while (first != last && is_blank(*first, delimiter)) ++first;
  return first;
}

}  // namespace

void RowReader::read(std::string_view lines) {
  values_.clear();
  faults_.clear();
  is_faulty_.clear();
  broken_.reset();
  const char* const readable_end = lines.data() + lines.size();
  const std::size_t cols = format_->cols;
  const bool has_commas = format_->dialect.decimal == ',';
  for (std::size_t row = 0; !lines.empty(); ++row) {
    const std::string_view line = take_line(lines);
    values_.resize((row + 1) * cols);
    double* const to = values_.data() + row * cols;
    const bool is_plain =
        has_commas ? read_plain_row<','>(line, readable_end, to) : read_plain_row<'.'>(line, readable_end, to);
    if (is_plain || read_row(line, row, to)) continue;
    values_.resize(row * cols);
    broken_ = line;
    return;
  }
}

/// The usual case, in one pass over the characters: true if the line holds plain numbers, as many as there are columns.
template <char decimal>
bool RowReader::read_plain_row(std::string_view line, const char* readable_end, double* values) const {
  const char delimiter = format_->dialect.delimiter;
  const std::size_t cols = format_->cols;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t col = 0; col < cols; ++col) {
    at = skip_blanks(at, end, delimiter);
    const char* after = read_short_decimal<decimal>(at, end, readable_end, values[col]);
    if (after == at) after = read_number(at, end, values[col], decimal);
    if (after == at) return false;
    at = skip_blanks(after, end, delimiter);
    const bool last = col + 1 == cols;
    if (last || at == end) return last && at == end;
    if (delimiter == ' ' ? at == after : *at++ != delimiter) return false;
  }
  return false;
}

/// Everything else: quotes, and all that is wrong. False if the line is no row.
bool RowReader::read_row(std::string_view line, std::size_t row, double* values) {
  try {
    cut_row(*format_, line, 0, fields_);
  } catch (const Error&) {  // its sentence names a line that is not known here
    return false;
  }
  for (std::size_t col = 0; col < fields_.size(); ++col) {
    const Cell cell = read_cell(fields_[col].text, format_->dialect.decimal);
    const bool usable = cell.kind == CellKind::number;
    values[col] = usable ? cell.value : std::numeric_limits<double>::quiet_NaN();
    if (!usable) note_fault(row, col, cell.kind);
  }
  return true;
}

void RowReader::note_fault(std::size_t row, std::size_t col, CellKind kind) {
  is_faulty_.resize(format_->cols);
  if (is_faulty_[col]) return;
  is_faulty_[col] = true;
  faults_.push_back({.row = row, .col = col, .kind = kind, .text = std::string(fields_[col].text)});
}

void cut_line(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields) {
  base::require(line.find('\0') == std::string_view::npos, ErrorCode::data,
                "{}: binary data (a zero byte), expected a table as text", format.source);
  if (line.find('\r') != std::string_view::npos) {
    base::fail(ErrorCode::data, "{}:{}: a carriage return without a line feed, expected lines that end in LF or CRLF",
               format.source, line_number);
  }
  fields.clear();
  LineFields cutter(line, format.dialect.delimiter);
  for (Field field; cutter.next(field);) {
    if (!field.fault.empty()) {
      const std::string place = field_place(format.source, format.names, line_number, fields.size());
      base::fail(ErrorCode::data, "{}: {}", place, field.fault);
    }
    fields.push_back(field);
  }
}

void cut_row(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields) {
  if (is_blank_line(line, format.dialect.delimiter)) {
    base::fail(ErrorCode::data, "{}:{}: blank line, expected {}", format.source, line_number,
               count_of(format.cols, "field"));
  }
  cut_line(format, line, line_number, fields);
  if (fields.size() != format.cols) {
    base::fail(ErrorCode::data, "{}:{}: {}, expected {}", format.source, line_number, count_of(fields.size(), "field"),
               format.cols);
  }
}

std::string sentence_of(const RowFormat& format, const CellFault& fault, std::size_t row) {
  const bool doubtful_header = row == 0 && !format.dialect.header && format.dialect.header_recognised;
  return fmt::format("{}: {}{}", field_place(format.source, format.names, format.first_line() + row, fault.col),
                     complaint(fault.kind, fault.text),
                     doubtful_header ? "; if the first line holds names, set header to yes" : "");
}

}  // namespace credens::data
