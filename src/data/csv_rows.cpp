// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "base/check.hpp"
#include "data/csv.hpp"
#include "data/csv_cell.hpp"
#include "data/names.hpp"

namespace credens::data {

namespace {

const char* skip_blanks(const char* first, const char* last, char delimiter) {
  while (first != last && is_blank(*first, delimiter)) ++first;
  return first;
}

/// A first line that we took for data may be a header after all.
std::string_view header_hint(const RowFormat& format, std::size_t line_number) {
  const bool doubtful = line_number == 1 && format.dialect.header_recognised;
  return doubtful ? "; if the first line holds names, set header to yes" : "";
}

}  // namespace

std::string field_place(const RowFormat& format, std::size_t line_number, std::size_t field) {
  const bool named = field < format.names.size() && !format.names[field].empty();
  return fmt::format("{}:{}:{}{}", format.source, line_number, field + 1,
                     named ? fmt::format(" ({})", format.names[field]) : "");
}

void RowReader::read(std::string_view lines, std::size_t first_line, std::span<double> values) {
  double* row = values.data();
  for (std::size_t line_number = first_line; !lines.empty(); ++line_number) {
    const std::string_view line = take_line(lines);
    if (!read_plain_row(line, row)) read_row(line, line_number, row);
    row += format_.cols;
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
void RowReader::read_row(std::string_view line, std::size_t line_number, double* values) {
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
    const std::string_view text = fields_[col].text;
    const Cell cell = read_cell(text);
    if (cell.kind != CellKind::number) {
      base::fail(ErrorCode::data, "{}: {}{}", field_place(format_, line_number, col), complaint(cell.kind, text),
                 header_hint(format_, line_number));
    }
    values[col] = cell.value;
  }
}

void cut_line(const RowFormat& format, std::string_view line, std::size_t line_number, std::vector<Field>& fields) {
  fields.clear();
  LineFields cutter(line, format.dialect.delimiter);
  for (Field field; cutter.next(field);) {
    const auto place = [&] { return field_place(format, line_number, fields.size()); };
    if (field.fault == QuoteFault::unclosed)
      base::fail(ErrorCode::data, "{}: the quote is not closed on its line", place());
    if (field.fault == QuoteFault::text_after) {
      base::fail(ErrorCode::data, "{}: text after the closing quote, expected a delimiter", place());
    }
    fields.push_back(field);
  }
}

}  // namespace credens::data
