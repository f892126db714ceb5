// SPDX-License-Identifier: Apache-2.0

#include "report/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"
#include "report/escape.hpp"

namespace credens::report {
namespace {

constexpr std::string_view gap = "  ";

void check_table(const Table& table) {
  for (const auto& row : table.rows) {
    base::require(row.size() == table.headings.size(), ErrorCode::failure,
                  "table \"{}\": a row has {} cells, expected {}", table.caption, row.size(), table.headings.size());
  }
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

std::string html_row(const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const std::string cell = html_text(cells[col]);
    row += col == 0 ? fmt::format(R"(<th scope="row">{}</th>)", cell) : fmt::format("<td>{}</td>", cell);
  }
  return row + "</tr>\n";
}

}  // namespace

std::string table_text(const Table& table) {
  check_table(table);
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text = table.caption.empty() ? "" : table.caption + "\n";
  text += text_line(table.headings, widths) + ruling(widths);
  for (const auto& row : table.rows) text += text_line(row, widths);
  return text;
}

std::string table_html(const Table& table) {
  check_table(table);
  // A table wider than the screen scrolls; the tabindex lets a keyboard scroll it.
  const std::string caption = html_text(table.caption);
  std::string html = fmt::format(
      "<div class=\"table\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{}\"><table>\n<caption>{}</caption>\n<thead><tr>",
      caption.empty() ? "Table" : caption, caption);
  for (const std::string& heading : table.headings)
    html += fmt::format(R"(<th scope="col">{}</th>)", html_text(heading));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) html += html_row(row);
  return html + "</tbody>\n</table></div>\n";
}

}  // namespace credens::report
