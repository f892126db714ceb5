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
  while (first != last && *first <= ' ' && is_blank(*first, delimiter)) ++first;
  return first;
}

/// Returns where the field ends that begins with a number, or null where it does not end there.
template <char decimal>
[[gnu::always_inline]] inline const char* read_plain_number(const char* first, const char* end,
                                                            const char* readable_end, char delimiter, double& value) {
  const char* after = read_short_decimal<decimal>(first, end, readable_end, value);
  if (after == first) {
    after = read_number(first, end, value, decimal);
    if (after == first) return nullptr;
  }
  const char* const at = skip_blanks(after, end, delimiter);
  return at == end || (delimiter == ' ' ? at != after : *at == delimiter) ? at : nullptr;
}

}  // namespace

RowReader::RowReader(const RowFormat& format) : format_(&format) {
  double value = 0;
  for (const std::string& text : format.missing) {
    const char* const end = text.data() + text.size();
    if (!text.empty() && read_number(text.data(), end, value, format.dialect.decimal) == end) {
      missing_numbers_.push_back(value);
    }
  }
}

void RowReader::start(std::span<const WordIndex> known) {
  values_.clear();
  faults_.clear();
  missing_.clear();
  is_faulty_.clear();
  is_missing_.clear();
  broken_.reset();
  words_.resize(known.size());
  for (std::size_t col = 0; col < known.size(); ++col) words_[col].start(known[col]);
  zones_.assign(format_->kinds.size(), -1);
}

void RowReader::read(std::string_view lines, std::span<const WordIndex> known) {
  start(known);
  const bool has_commas = format_->dialect.decimal == ',';
  if (format_->kinds.empty()) {
    has_commas ? read_lines<',', false>(lines) : read_lines<'.', false>(lines);
  } else {
    has_commas ? read_lines<',', true>(lines) : read_lines<'.', true>(lines);
  }
  if (!broken_) return;
  // Words, faults and missing cells of the line that is no row do not count.
  const std::string_view broken = *broken_;
  const auto size = static_cast<std::size_t>(broken.data() - lines.data());
  read(lines.substr(0, size), known);
  broken_ = broken;
}

template <char decimal, bool is_mixed>
void RowReader::read_lines(std::string_view lines) {
  const std::size_t cols = format_->cols;
  const char* const readable_end = lines.data() + lines.size();
  for (std::size_t row = 0; !lines.empty() && !broken_; ++row) {
    const std::string_view line = take_line(lines);
    values_.resize((row + 1) * cols);
    double* const to = values_.data() + row * cols;
    const bool is_plain = line.size() <= longest_line && read_plain_row<decimal, is_mixed>(line, readable_end, row, to);
    if (is_plain || read_row(line, row, to)) continue;
    broken_ = line;
  }
}

/// The usual line, in one pass over its characters: without quotes, and with as many fields as there are columns. False
/// for all others.
template <char decimal, bool is_mixed>
bool RowReader::read_plain_row(std::string_view line, const char* readable_end, std::size_t row, double* values) {
  const char delimiter = format_->dialect.delimiter;
  const std::size_t cols = format_->cols;
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t col = 0; col < cols; ++col) {
    const char* const first = skip_blanks(at, end, delimiter);
    const bool is_number = !is_mixed || format_->kinds[col] == ColumnKind::number;
    at = is_number ? read_plain_number<decimal>(first, end, readable_end, delimiter, values[col]) : nullptr;
    if (at == nullptr || (is_mixed && is_missing_number(values[col]))) {
      at = read_plain_text(first, end, row, col, values[col]);
      if (at == nullptr) return false;
    }
    const bool is_last = col + 1 == cols;
    if (is_last || at == end) return is_last && at == end;
    if (delimiter != ' ') ++at;
  }
  return false;
}

/// The value of a field that is no plain number. Returns where the field ends; null where the line must be cut to tell.
const char* RowReader::read_plain_text(const char* first, const char* end, std::size_t row, std::size_t col,
                                       double& value) {
  const char delimiter = format_->dialect.delimiter;
  const bool is_quoted = first != end && *first == '"';
  if (delimiter == ' ' || is_quoted || format_->cols == 1) return nullptr;
  const std::string_view rest(first, static_cast<std::size_t>(end - first));
  const char* const field_end = first + std::min(rest.find(delimiter), rest.size());
  const char* last = field_end;
  while (last != first && is_blank(last[-1], delimiter)) --last;
  if (std::any_of(first, last, [](char c) { return c == '\r' || c == '\0'; })) return nullptr;
  value = read_text({first, static_cast<std::size_t>(last - first)}, true, row, col);
  return field_end;
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
  if (is_missing(text, format_->missing)) return note_missing(text, row, col);
  const Cell cell = read_cell(text, format_->dialect.decimal);
  return cell.kind == CellKind::number ? cell.value : note_fault(text, row, col, cell.kind);
}

double RowReader::read_date_cell(std::string_view text, std::size_t row, std::size_t col) {
  const std::optional<Date> date = read_date(text);
  if (!date) return note_fault(text, row, col, CellKind::no_date);
  if (format_->zones[col].value_or(date->has_zone) != date->has_zone) {
    return note_fault(text, row, col, CellKind::other_zone);
  }
  if (zones_[col] < 0) zones_[col] = date->has_zone ? 1 : 0;
  if ((zones_[col] == 1) != date->has_zone) return note_fault(text, row, col, CellKind::mixed_zone);
  return date->seconds;
}

std::size_t RowReader::row_of(std::size_t col, double value) const {
  std::size_t row = 0;
  while (row + 1 < rows() && values_[row * format_->cols + col] != value) ++row;
  return row;
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
    base::require(fields.size() < most_fields, ErrorCode::data, "{}:{}: more than {} fields, expected at most that",
                  format.source, line_number, most_fields);
    if (!field.fault.empty()) {
      const std::string place = field_place(format.source, format.names, line_number, fields.size());
      base::fail(ErrorCode::data, "{}: {}", place, field.fault);
    }
    fields.push_back(field);
  }
  base::require(line.size() <= longest_line, ErrorCode::data,
                "{}:{}: a line of more than 64 MiB, expected shorter lines", format.source, line_number);
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
  const bool doubtful_units = row == 0 && format.dialect.doubtful_units && fault.kind == CellKind::text;
  return fmt::format("{}: {}{}{}", field_place(format.source, format.names, format.first_line() + row, fault.col),
                     complaint(fault.kind, fault.text),
                     doubtful_header ? "; if the first line holds names, set header to yes" : "",
                     doubtful_units ? "; if this line holds units, set unit_line to yes" : "");
}

}  // namespace credens::data
