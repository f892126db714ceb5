// SPDX-License-Identifier: Apache-2.0

#include "data/csv_head.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/names.hpp"

namespace credens::data {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"sv;

/// Whole lines from the start of the file, enough to recognise how it is written.
std::string_view first_lines(ByteSource& bytes) {
  constexpr std::size_t enough_lines = sampled_lines + 1;
  std::size_t most = std::size_t{64} << 10;
  for (std::size_t least = 1;;) {
    const std::string_view text = bytes.arrived(0, least, most);
    if (text.size() < most && bytes.ended()) return text;
    if (std::count(text.begin(), text.end(), '\n') >= static_cast<std::ptrdiff_t>(enough_lines)) {
      return text.substr(0, text.rfind('\n') + 1);
    }
    if (text.size() == most) most *= 2;
    least = text.size() + 1;
  }
}

void check_text(std::string_view text, const std::string& source) {
  base::require(!text.starts_with("\xff\xfe"sv) && !text.starts_with("\xfe\xff"sv), ErrorCode::data,
                "{}: UTF-16 text, expected UTF-8", source);
  base::require(!text.empty(), ErrorCode::data, "{}: empty, expected a table", source);
  base::require(text.find('\0') == std::string_view::npos, ErrorCode::data,
                "{}: binary data (a zero byte), expected a table as text", source);
}

void check_first_line(std::string_view text, const std::string& source) {
  const std::string_view line = take_line(text);
  base::require(!is_blank_line(line, ' '), ErrorCode::data, "{}:1: blank line, expected names or numbers", source);
  const bool binary = std::any_of(line.begin(), line.end(), [](char c) {
    return c != '\t' && c != '\r' && has_control_character({&c, 1});
  });
  base::require(!binary, ErrorCode::data, "{}:1: binary data (a control character), expected a table as text", source);
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

/// Where the last character that is not blank stands, after `first`.
std::size_t last_visible(ByteSource& bytes, std::size_t first) {
  for (std::size_t size = 4096;; size *= 2) {
    const std::size_t tail_at = std::max(first, bytes.size() - std::min(size, bytes.size()));
    const std::size_t visible = bytes.window(tail_at, size).find_last_not_of(" \t\r\n");
    if (visible != std::string_view::npos) return tail_at + visible;
    base::require(tail_at > first, ErrorCode::data, "{}: only blank lines, expected a table", bytes.name());
  }
}

void check_names(const RowFormat& format) {
  const auto& names = format.names;
  for (std::size_t col = 0; col < names.size(); ++col) {
    base::require(base::is_utf8(names[col]), ErrorCode::data, "{}:1:{}: the name {} is not UTF-8", format.source,
                  col + 1, base::quoted(names[col]));
    base::require(!has_control_character(names[col]), ErrorCode::data, "{}:1:{}: the name {} holds a control character",
                  format.source, col + 1, base::quoted(names[col]));
  }
  if (const auto twins = first_duplicate(names)) {
    const std::string& name = names[twins->first];
    base::fail(ErrorCode::data, "{}:1: fields {} and {} {}, expected different names", format.source, twins->first + 1,
               twins->second + 1, name.empty() ? "both have an empty name" : "are both named " + base::quoted(name));
  }
}

/// Columns and names from the first line.
void read_first_line(std::string_view line, RowFormat& format) {
  std::vector<Field> fields;
  cut_line(format, line, 1, fields);
  format.cols = fields.size();
  if (!format.dialect.header) return;
  for (const Field& field : fields) format.names.push_back(unescaped(field));
  check_names(format);
}

}  // namespace

CsvHead read_csv_head(ByteSource& bytes, const TableFormat& wanted) {
  const std::size_t mark = bytes.window(0, byte_order_mark.size()) == byte_order_mark ? byte_order_mark.size() : 0;
  check_text(first_lines(bytes).substr(mark), bytes.name());
  const bool knows_end = bytes.knows_size();
  const std::size_t visible = knows_end ? last_visible(bytes, mark) : 0;

  std::string_view text = first_lines(bytes).substr(mark);
  check_first_line(text, bytes.name());
  CsvHead head{.format = {.source = bytes.name(), .dialect = recognise_dialect(text, wanted)}, .first_row_at = mark};
  const std::size_t size = text.size();
  read_first_line(take_line(text), head.format);
  if (head.format.dialect.header) head.first_row_at += size - text.size();

  head.end = unknown_end;
  if (!knows_end) return head;
  const std::string_view tail = bytes.window(visible, bytes.size());
  head.end = visible + without_trailing_blank_lines(tail, head.format.dialect.delimiter).size();
  check_rows(head.first_row_at, head.end, bytes.name());
  return head;
}

std::size_t rows_size(std::string_view lines, char delimiter) {
  const std::size_t visible = lines.find_last_not_of(" \t\r\n");
  const std::size_t first = visible == std::string_view::npos ? 0 : visible;
  const std::string_view rows = without_trailing_blank_lines(lines.substr(first), delimiter);
  const bool is_blank = visible == std::string_view::npos && is_blank_line(rows, delimiter);
  return is_blank ? 0 : first + rows.size();
}

void check_rows(std::size_t first_row_at, std::size_t end, const std::string& source) {
  base::require(first_row_at < end, ErrorCode::data, "{}: a header but no rows", source);
}

}  // namespace credens::data
