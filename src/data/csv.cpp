// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "data/csv.hpp"
#include "data/date.hpp"
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
  missing_.clear();
  is_faulty_.clear();
  is_missing_.clear();
  broken_.reset();
  const std::size_t cols = format_->cols;
  const bool is_mixed = !format_->kinds.empty();
  words_.resize(is_mixed ? cols : 0);
  for (BlockWords& words : words_) words.clear();
  zones_.assign(is_mixed ? cols : 0, -1);
  const char* const readable_end = lines.data() + lines.size();
  const bool has_commas = format_->dialect.decimal == ',';
  for (std::size_t row = 0; !lines.empty(); ++row) {
    const std::string_view line = take_line(lines);
    values_.resize((row + 1) * cols);
    double* const to = values_.data() + row * cols;
    const bool is_plain = !is_mixed && (has_commas ? read_plain_row<','>(line, readable_end, to)
                                                   : read_plain_row<'.'>(line, readable_end, to));
    if (is_plain || read_mixed_row(line, readable_end, row, to) || read_row(line, row, to)) continue;
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

/// The usual case of a table with words, dates or missing cells: true if the line has no quotes and as many fields as
/// there are columns.
bool RowReader::read_mixed_row(std::string_view line, const char* readable_end, std::size_t row, double* values) {
  const char delimiter = format_->dialect.delimiter;
  const std::size_t cols = format_->cols;
  if (delimiter == ' ' || line.find('"') != std::string_view::npos || (cols == 1 && is_blank_line(line, delimiter)) ||
      line.find_first_of(std::string_view("\r\0", 2)) != std::string_view::npos ||
      static_cast<std::size_t>(std::count(line.begin(), line.end(), delimiter)) + 1 != cols) {
    return false;
  }
  const char decimal = format_->dialect.decimal;
  const auto read_short = decimal == ',' ? read_short_decimal<','> : read_short_decimal<'.'>;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t col = 0; col < cols; ++col) {
    at = skip_blanks(at, end, delimiter);
    const char* const field_end = std::find(at, end, delimiter);
    const char* after = at;
    if (kind_of(col) == ColumnKind::number && format_->missing.empty()) {
      after = read_short(at, field_end, readable_end, values[col]);
      if (after == at) after = read_number(at, field_end, values[col], decimal);
      if (after != at && skip_blanks(after, field_end, delimiter) != field_end) after = at;
    }
    if (after == at) {
      const char* last = field_end;
      while (last != at && is_blank(last[-1], delimiter)) --last;
      values[col] = read_text({at, static_cast<std::size_t>(last - at)}, true, row, col);
    }
    at = field_end == end ? end : field_end + 1;
  }
  return true;
}

/// Everything else: quotes, and all that is wrong. False if the line is no row.
bool RowReader::read_row(std::string_view line, std::size_t row, double* values) {
  try {
    cut_row(*format_, line, 0, fields_);
  } catch (const Error&) {  // its sentence names a line that is not known here
    return false;
  }
  for (std::size_t col = 0; col < fields_.size(); ++col) {
    const Field& field = fields_[col];
    const bool is_escaped = field.quoted && field.text.find('"') != std::string_view::npos;
    values[col] = is_escaped ? read_text(unescaped(field), false, row, col) : read_text(field.text, true, row, col);
  }
  return true;
}

/// The value of a cell. `is_kept`: the text outlives the use of the block.
double RowReader::read_text(std::string_view text, bool is_kept, std::size_t row, std::size_t col) {
  const ColumnKind kind = kind_of(col);
  if (kind == ColumnKind::number) return read_number_cell(text, row, col);
  if (is_missing(text, format_->missing)) return note_missing(text, row, col);
  if (kind == ColumnKind::date) return read_date_cell(text, row, col);
  return words_[col].code_of(text, is_kept);
}

double RowReader::read_number_cell(std::string_view text, std::size_t row, std::size_t col) {
  const Cell cell = read_cell(text, format_->dialect.decimal);
  if (cell.kind == CellKind::number && format_->missing.empty()) return cell.value;
  if (is_missing(text, format_->missing)) return note_missing(text, row, col);
  return cell.kind == CellKind::number ? cell.value : note_fault(text, row, col, cell.kind);
}

double RowReader::read_date_cell(std::string_view text, std::size_t row, std::size_t col) {
  const std::optional<Date> date = read_date(text);
  if (!date) return note_fault(text, row, col, CellKind::no_date);
  if (zones_[col] < 0) zones_[col] = date->has_zone ? 1 : 0;
  if ((zones_[col] == 1) != date->has_zone) return note_fault(text, row, col, CellKind::mixed_zone);
  return date->seconds;
}

double RowReader::note_missing(std::string_view text, std::size_t row, std::size_t col) {
  is_missing_.resize(format_->cols);
  if (!is_missing_[col]) {
    missing_.push_back({.row = row, .col = col, .kind = CellKind::missing, .text = std::string(text)});
  }
  is_missing_[col] = true;
  return std::numeric_limits<double>::quiet_NaN();
}

double RowReader::note_fault(std::string_view text, std::size_t row, std::size_t col, CellKind kind) {
  is_faulty_.resize(format_->cols);
  if (!is_faulty_[col]) faults_.push_back({.row = row, .col = col, .kind = kind, .text = std::string(text)});
  is_faulty_[col] = true;
  return std::numeric_limits<double>::quiet_NaN();
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
