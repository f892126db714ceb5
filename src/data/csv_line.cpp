// SPDX-License-Identifier: Apache-2.0

#include "data/csv_line.hpp"

#include <fast_float/fast_float.h>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/date.hpp"

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

/// Three digits after each comma but the last group may have a fraction: 1,234,567.5.
bool has_grouped_thousands(std::string_view text) {
  std::string_view whole = without_sign(text);
  whole = whole.substr(0, whole.find('.'));
  const std::vector<std::string> groups = base::split(whole, ',');
  const auto is_digits = [](std::string_view group) {
    return !group.empty() && group.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (groups.size() < 2 || groups.front().size() > 3 || !std::ranges::all_of(groups, is_digits)) return false;
  if (!std::all_of(groups.begin() + 1, groups.end(), [](const auto& group) { return group.size() == 3; })) return false;
  std::string plain(text);
  std::erase(plain, ',');
  double value = 0;
  return read_number(plain.data(), plain.data() + plain.size(), value) == plain.data() + plain.size();
}

/// Points and commas change places.
std::string with_swapped_marks(std::string_view text) {
  std::string swapped(text);
  for (char& c : swapped) c = c == ',' ? '.' : c == '.' ? ',' : c;
  return swapped;
}

/// A number by its form, but not a finite one.
bool overflows(std::string_view text) {
  text = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  if (text.empty()) return false;
  const char* const last = text.data() + text.size();
  return fast_float::from_chars(text.data(), last, value).ptr == last && std::isinf(value);
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
  if (field.text.size() > longest_field) field.fault = too_long;
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

std::string_view without_trailing_blank_lines(std::string_view text, char delimiter) {
  for (;;) {
    const std::size_t last_break = text.find_last_of('\n');
    const std::size_t start = last_break == std::string_view::npos ? 0 : last_break + 1;
    std::string_view rest = text.substr(start);
    if (start == 0 || !is_blank_line(take_line(rest), delimiter)) return text;
    text = text.substr(0, last_break);
  }
}

std::size_t rows_size(std::string_view lines, char delimiter) {
  const std::size_t visible = lines.find_last_not_of(" \t\r\n");
  const std::size_t first = visible == std::string_view::npos ? 0 : visible;
  const std::string_view rows = without_trailing_blank_lines(lines.substr(first), delimiter);
  const bool is_blank = visible == std::string_view::npos && is_blank_line(rows, delimiter);
  return is_blank ? 0 : first + rows.size();
}

namespace {

/// `decimal` is a template argument, so that the compiler knows the mark in the loops of fast_float.
template <char decimal>
const char* read_marked_number(const char* first, const char* last, double& value) {
  const char* digits = first;
  if (digits != last && *digits == '+') ++digits;
  if (digits == last || (digits != first && *digits == '-')) return first;
  const fast_float::parse_options options(fast_float::chars_format::general, decimal);
  const auto [end, error] = fast_float::from_chars_advanced(digits, last, value, options);
  // Some releases report what rounds to 0 as out of range, others do not.
  const bool is_number = error == std::errc() || error == std::errc::result_out_of_range;
  return is_number && std::isfinite(value) ? end : first;
}

}  // namespace

const char* read_number(const char* first, const char* last, double& value, char decimal) {
  return decimal == '.' ? read_marked_number<'.'>(first, last, value) : read_marked_number<','>(first, last, value);
}

Cell read_cell(std::string_view text, char decimal) {
  Cell cell;
  if (decimal == ',' && text.find_first_of(",.") != std::string_view::npos) {
    cell = read_cell(with_swapped_marks(text));
    if (cell.kind == CellKind::decimal_comma) cell.kind = CellKind::decimal_point;
    return cell;
  }
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
  } else if (has_grouped_thousands(text)) {
    cell.kind = CellKind::grouped;
  }
  return cell;
}

bool is_missing(std::string_view text, std::span<const std::string> more) {
  constexpr std::size_t longest = 4;  // of the usual words
  constexpr std::string_view starts = "nN#?";
  const bool may_be_one =
      text.empty() || (text.size() <= longest && starts.find(text.front()) != std::string_view::npos);
  if (may_be_one && is_one_of(text, {"", "na", "n/a", "#n/a", "nan", "null", "none", "?"})) return true;
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
    case CellKind::other_zone:
      return fmt::format("{} {}", found, zone_complaint(read_date(text)->has_zone));
    case CellKind::decimal_point:
      return fmt::format("{} has a decimal point, expected a decimal comma", found);
    case CellKind::grouped:
      return fmt::format("{} has separated thousands, expected digits alone", found);
    case CellKind::number:
    case CellKind::text:
      break;
  }
  return fmt::format("{} is not a number", found);
}

}  // namespace credens::data
