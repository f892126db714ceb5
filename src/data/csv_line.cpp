// SPDX-License-Identifier: Apache-2.0

#include "data/csv_line.hpp"

#include <fast_float/fast_float.h>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::data {

namespace {

std::string_view trim_blanks(std::string_view text, char delimiter) {
  while (!text.empty() && is_blank(text.front(), delimiter)) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back(), delimiter)) text.remove_suffix(1);
  return text;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, base::lower_case(text)) != words.end();
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

bool is_hexadecimal(std::string_view text) {
  const std::string_view digits = without_sign(text);
  return digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') &&
         digits.find_first_not_of("0123456789abcdefABCDEF.pP+-", 2) == std::string_view::npos;
}

bool has_decimal_comma(std::string_view text) {
  if (std::count(text.begin(), text.end(), ',') != 1 || text.find('.') != std::string_view::npos) return false;
  std::string with_point(text);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  double value = 0;
  return read_number(with_point.data(), with_point.data() + with_point.size(), value) ==
         with_point.data() + with_point.size();
}

/// A number by its form, but not a finite one.
bool overflows(std::string_view text) {
  text = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  if (text.empty()) return false;
  const char* const last = text.data() + text.size();
  return fast_float::from_chars(text.data(), last, value).ptr == last && std::isinf(value);
}

// The order decides between delimiters that fit equally well: `1,5;2,5` is two columns (with decimal commas, refused
// later), `1, 2` has a comma.
constexpr char delimiters[] = {';', '\t', ',', ' '};

std::vector<std::string_view> first_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < sampled_lines) {
    const std::string_view line = take_line(text);
    if (!is_blank_line(line, ' ')) lines.push_back(line);
  }
  return lines;
}

std::vector<Field> fields_of(std::string_view line, char delimiter) {
  std::vector<Field> fields;
  LineFields cutter(line, delimiter);
  for (Field field; cutter.next(field);) fields.push_back(field);
  return fields;
}

/// The number of fields that most lines have, and how many lines those are. Of equally frequent numbers the one met
/// last: data rather than header.
struct CommonCount {
  std::size_t fields = 0;
  std::ptrdiff_t lines = 0;
};

CommonCount common_count(const std::vector<std::string_view>& lines, char delimiter) {
  std::vector<std::size_t> counts;
  for (const std::string_view line : lines) counts.push_back(fields_of(line, delimiter).size());
  CommonCount common;
  for (const std::size_t fields : counts) {
    const auto equal = std::count(counts.begin(), counts.end(), fields);
    if (equal >= common.lines) common = {fields, equal};
  }
  return common;
}

/// The delimiter that cuts most lines into the same number (> 1) of fields. If none does, the one that occurs in the
/// first line, so that the lines below are found to be ragged; a blank is no reason there: it may belong to the name of
/// a single column.
char recognise_delimiter(const std::vector<std::string_view>& lines) {
  std::optional<char> best;
  std::ptrdiff_t most_lines = 0;
  for (const char delimiter : delimiters) {
    const CommonCount common = common_count(lines, delimiter);
    if (common.fields > 1 && common.lines > most_lines) {
      best = delimiter;
      most_lines = common.lines;
    }
  }
  if (best) return *best;
  for (const char delimiter : {';', '\t'}) {
    if (fields_of(lines.front(), delimiter).size() > 1) return delimiter;
  }
  return ',';
}

bool holds(const Field& field, CellKind kind) {
  return read_cell(field.text).kind == kind;
}

bool is_fraction(const Field& field) {
  return holds(field, CellKind::number) && field.text.find_first_of(".eE") != std::string_view::npos;
}

bool has_text_above_number(const std::vector<Field>& upper, const std::vector<Field>& lower) {
  for (std::size_t i = 0; i < std::min(upper.size(), lower.size()); ++i) {
    if (holds(upper[i], CellKind::text) && holds(lower[i], CellKind::number)) return true;
  }
  return false;
}

/// Names are text. Numbers among them may be names too (years), if some text stands above a number; but a number with a
/// fraction is data, and the text beside it a slip, or a column that nobody will use.
bool looks_like_header(const std::vector<std::string_view>& lines, char delimiter) {
  const std::vector<Field> first = fields_of(lines.front(), delimiter);
  const auto has = [&](CellKind kind) {
    return std::any_of(first.begin(), first.end(), [&](const Field& field) { return holds(field, kind); });
  };
  if (!has(CellKind::text) || std::any_of(first.begin(), first.end(), is_fraction)) return false;
  if (!has(CellKind::number)) return true;
  return lines.size() > 1 && has_text_above_number(first, fields_of(lines[1], delimiter));
}

}  // namespace

std::string unescaped(const Field& field) {
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.quoted && field.text[i] == '"') ++i;
  }
  return text;
}

LineFields::LineFields(std::string_view line, char delimiter) : rest_(line), delimiter_(delimiter) {}

bool LineFields::next(Field& field) {
  skip_blanks();
  if (delimiter_ == ' ' && rest_.empty()) more_ = false;
  if (!more_) return false;
  field = !rest_.empty() && rest_.front() == '"' ? quoted_field() : plain_field();
  if (!field.fault.empty() || rest_.empty()) {
    more_ = false;
  } else if (delimiter_ != ' ') {  // a run of blanks is skipped by the next field
    rest_.remove_prefix(1);
  }
  return true;
}

void LineFields::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front(), delimiter_)) rest_.remove_prefix(1);
}

bool LineFields::at_field_end() const {
  return rest_.empty() || rest_.front() == delimiter_ || (delimiter_ == ' ' && is_blank(rest_.front(), delimiter_));
}

Field LineFields::quoted_field() {
  std::size_t close = rest_.find('"', 1);
  while (close != std::string_view::npos && close + 1 < rest_.size() && rest_[close + 1] == '"') {
    close = rest_.find('"', close + 2);
  }
  if (close == std::string_view::npos) {
    return {.text = rest_, .quoted = true, .fault = "the quote is not closed on its line"};
  }
  Field field{.text = trim_blanks(rest_.substr(1, close - 1), delimiter_), .quoted = true};
  rest_.remove_prefix(close + 1);
  if (delimiter_ != ' ') skip_blanks();
  if (!at_field_end()) field.fault = "text after the closing quote, expected a delimiter";
  return field;
}

Field LineFields::plain_field() {
  std::size_t size = rest_.find(delimiter_);
  if (delimiter_ == ' ') size = std::min(size, rest_.find('\t'));
  size = std::min(size, rest_.size());
  const Field field{.text = trim_blanks(rest_.substr(0, size), delimiter_)};
  rest_.remove_prefix(size);
  return field;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool is_blank_line(std::string_view line, char delimiter) {
  return std::all_of(line.begin(), line.end(), [&](char c) { return is_blank(c, delimiter); });
}

const char* read_number(const char* first, const char* last, double& value) {
  const char* digits = first;
  if (digits != last && *digits == '+') ++digits;
  if (digits == last || (digits != first && *digits == '-')) return first;
  const auto [end, error] = fast_float::from_chars(digits, last, value);
  // Some releases report what rounds to 0 as out of range, others do not.
  const bool is_number = error == std::errc() || error == std::errc::result_out_of_range;
  return is_number && std::isfinite(value) ? end : first;
}

Cell read_cell(std::string_view text) {
  Cell cell;
  const char* const last = text.data() + text.size();
  if (!text.empty() && read_number(text.data(), last, cell.value) == last) {
    cell.kind = CellKind::number;
  } else if (is_one_of(text, {"", "na", "n/a", "#n/a", "null", "none", "?"})) {
    cell.kind = CellKind::missing;
  } else if (is_one_of(without_sign(text), {"nan", "inf", "infinity"})) {
    cell.kind = CellKind::not_finite;
  } else if (is_hexadecimal(text)) {
    cell.kind = CellKind::hexadecimal;
  } else if (overflows(text)) {
    cell.kind = CellKind::overflow;
  } else if (has_decimal_comma(text)) {
    cell.kind = CellKind::decimal_comma;
  }
  return cell;
}

bool is_missing(std::string_view text, std::span<const std::string> more) {
  constexpr std::size_t longest = 4;  // of the usual words
  if (text.size() <= longest && is_one_of(text, {"", "na", "n/a", "#n/a", "nan", "null", "none", "?"})) return true;
  return std::ranges::find(more, text) != more.end();
}

std::string complaint(CellKind kind, std::string_view text) {
  const std::string found = base::quoted(text);
  switch (kind) {
    case CellKind::missing:
      return text.empty() ? "missing value, expected a number"
                          : fmt::format("missing value ({}), expected a number", found);
    case CellKind::not_finite:
      return fmt::format("{} is not a finite number", found);
    case CellKind::overflow:
      return fmt::format("{} is too large for a double", found);
    case CellKind::hexadecimal:
      return fmt::format("{} is hexadecimal, expected a decimal number", found);
    case CellKind::decimal_comma:
      return fmt::format("{} has a decimal comma, expected a decimal point", found);
    case CellKind::no_date:
      return fmt::format("{} is no day or time, expected one such as 2024-05-17 or 2024-05-17T08:30:00Z", found);
    case CellKind::mixed_zone:
      return fmt::format("{} differs from the times above in having a zone, expected all or none", found);
    case CellKind::number:
    case CellKind::text:
      break;
  }
  return fmt::format("{} is not a number", found);
}

Dialect recognise_dialect(std::string_view text, const TableFormat& format) {
  const std::vector<std::string_view> lines = first_lines(text);
  Dialect dialect;
  if (format.delimiter) {
    const bool known =
        std::find(std::begin(delimiters), std::end(delimiters), *format.delimiter) != std::end(delimiters);
    base::require(known, ErrorCode::usage, "delimiter {} is unknown, expected a comma, a semicolon, a tab or a blank",
                  base::quoted({&*format.delimiter, 1}));
  }
  dialect.delimiter = format.delimiter ? *format.delimiter : recognise_delimiter(lines);
  dialect.header_recognised = !format.header.has_value();
  dialect.header = format.header ? *format.header : looks_like_header(lines, dialect.delimiter);
  return dialect;
}

}  // namespace credens::data
