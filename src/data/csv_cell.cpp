// SPDX-License-Identifier: Apache-2.0

#include "data/csv_cell.hpp"

#include <fast_float/fast_float.h>
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/text.hpp"

namespace credens::data {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equals_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return lower(a) == b; });
  });
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

bool is_hexadecimal(std::string_view text) {
  const std::string_view digits = without_sign(text);
  return digits.size() > 2 && digits[0] == '0' && lower(digits[1]) == 'x' &&
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

}  // namespace

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
  } else if (equals_one_of(text, {"", "na", "n/a", "#n/a", "null", "none", "?"})) {
    cell.kind = CellKind::missing;
  } else if (equals_one_of(without_sign(text), {"nan", "inf", "infinity"})) {
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
    case CellKind::number:
    case CellKind::text:
      break;
  }
  return fmt::format("{} is not a number", found);
}

}  // namespace credens::data
