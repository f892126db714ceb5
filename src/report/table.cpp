// SPDX-License-Identifier: Apache-2.0

#include "report/table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.hpp"

namespace credens::report {
namespace {

constexpr std::string_view gap = "  ";
constexpr const char* not_finite = "–";

/// Outside this range of powers of ten an exponent is shorter than the zeros.
bool fits_without_exponent(int exponent) {
  return exponent >= -5 && exponent < 7;
}

/// Letters, not bytes: every byte of UTF-8 but the continuing ones begins a letter.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t col = 0; col < table.headings.size(); ++col) {
    std::size_t width = letters(table.headings[col]);
    for (const auto& row : table.rows) width = std::max(width, letters(row[col]));
    widths.push_back(width);
  }
  return widths;
}

std::string text_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const std::string padding(widths[col] - letters(cells[col]), ' ');
    if (col > 0) line += gap;
    line += col == 0 ? cells[col] + padding : padding + cells[col];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string ruling(const std::vector<std::size_t>& widths) {
  std::vector<std::string> dashes;
  for (const std::size_t width : widths) dashes.emplace_back(width, '-');
  return text_line(dashes, widths);
}

}  // namespace

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return not_finite;
  return fixed(100 * fraction, 1) + " %";
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite;
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return not_finite;
  const std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  const int exponent =
      std::stoi(scientific.substr(scientific.find('e') + 1));  // after rounding: 9.99 may have become 10
  return fits_without_exponent(exponent) ? fixed(value, std::max(0, digits - 1 - exponent)) : scientific;
}

void check(const Table& table) {
  for (const auto& row : table.rows) {
    base::require(row.size() == table.headings.size(), ErrorCode::failure,
                  "table \"{}\": a row has {} cells, expected {}", table.caption, row.size(), table.headings.size());
  }
}

std::string table_text(const Table& table) {
  check(table);
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text = table.caption.empty() ? "" : table.caption + "\n";
  text += text_line(table.headings, widths) + ruling(widths);
  for (const auto& row : table.rows) text += text_line(row, widths);
  return text;
}

}  // namespace credens::report
