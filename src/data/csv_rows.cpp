// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "base/check.hpp"
#include "data/csv.hpp"
#include "data/names.hpp"

namespace credens::data {

namespace {

const char* skip_blanks(const char* first, const char* last, char delimiter) {
  while (first != last && is_blank(*first, delimiter)) ++first;
  return first;
}

}  // namespace

void RowReader::read(std::string_view lines, std::size_t first_row, std::span<double> values) {
  double* to = values.data();
  for (std::size_t row = first_row; !lines.empty(); ++row) {
    const std::string_view line = take_line(lines);
    if (!read_plain_row(line, to)) read_row(line, row, to);
    to += format_.cols;
  }
}

/// The usual case, in one pass over the characters: true if the line holds plain numbers, as many as there are columns.
bool RowReader::read_plain_row(std::string_view line, double* values) const {
  const char delimiter = format_.dialect.delimiter;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t col = 0; col < format_.cols; ++col) {
    at = skip_blanks(at, end, delimiter);
    const char* const after = read_number(at, end, values[col]);
    if (after == at) return false;
    at = skip_blanks(after, end, delimiter);
    const bool last = col + 1 == format_.cols;
    if (last || at == end) return last && at == end;
    if (delimiter == ' ' ? at == after : *at++ != delimiter) return false;
  }
  return false;
}

/// Everything else: quotes, and all that is wrong.
void RowReader::read_row(std::string_view line, std::size_t row, double* values) {
  const std::size_t line_number = format_.first_line() + row;
  if (is_blank_line(line, format_.dialect.delimiter)) {
    base::fail(ErrorCode::data, "{}:{}: blank line, expected {}", format_.source, line_number,
               count_of(format_.cols, "field"));
  }
  cut_line(format_, line, line_number, fields_);
  if (fields_.size() != format_.cols) {
    base::fail(ErrorCode::data, "{}:{}: {}, expected {}", format_.source, line_number,
               count_of(fields_.size(), "field"), format_.cols);
  }
  for (std::size_t col = 0; col < fields_.size(); ++col) {
    const Cell cell = read_cell(fields_[col].text);
    const bool usable = cell.kind == CellKind::number;
    values[col] = usable ? cell.value : std::numeric_limits<double>::quiet_NaN();
    if (!usable && !faults_[col]) note_fault(cell, row, col);
  }
}

void RowReader::note_fault(const Cell& cell, std::size_t row, std::size_t col) {
  const bool doubtful_header = row == 0 && !format_.dialect.header && format_.dialect.header_recognised;
  faults_[col] = {
      .row = row,
      .sentence = fmt::format("{}: {}{}", field_place(format_.source, format_.names, format_.first_line() + row, col),
                              complaint(cell.kind, fields_[col].text),
                              doubtful_header ? "; if the first line holds names, set header to yes" : "")};
}

void cut_line(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields) {
  if (line.find('\r') != std::string_view::npos) {
    base::fail(ErrorCode::data, "{}:{}: a carriage return without a line feed, expected lines that end in LF or CRLF",
               format.source, line_number);
  }
  fields.clear();
  LineFields cutter(line, format.dialect.delimiter);
  for (Field field; cutter.next(field);) {
    const auto place = [&] { return field_place(format.source, format.names, line_number, fields.size()); };
    if (field.fault == QuoteFault::unclosed) {
      base::fail(ErrorCode::data, "{}: the quote is not closed on its line", place());
    }
    if (field.fault == QuoteFault::text_after) {
      base::fail(ErrorCode::data, "{}: text after the closing quote, expected a delimiter", place());
    }
    fields.push_back(field);
  }
}

}  // namespace credens::data
