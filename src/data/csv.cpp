// SPDX-License-Identifier: Apache-2.0

#include "data/csv.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/names.hpp"
#include "data/table.hpp"

namespace credens::data {

namespace {

using namespace std::string_view_literals;

/// The text without its byte order mark; what is no text throws.
std::string_view checked_text(std::string_view text, const std::string& source) {
  if (text.starts_with("\xef\xbb\xbf"sv)) text.remove_prefix(3);
  base::require(!text.starts_with("\xff\xfe"sv) && !text.starts_with("\xfe\xff"sv), ErrorCode::data,
                "{}: UTF-16 text, expected UTF-8", source);
  base::require(!text.empty(), ErrorCode::data, "{}: empty, expected a table", source);
  base::require(text.find('\0') == std::string_view::npos, ErrorCode::data,
                "{}: binary data (a zero byte), expected a table as text", source);
  base::require(text.find_first_not_of(" \t\r\n") != std::string_view::npos, ErrorCode::data,
                "{}: only blank lines, expected a table", source);
  return text;
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

void check_names(const RowFormat& format) {
  const auto& names = format.names;
  for (std::size_t col = 0; col < names.size(); ++col) {
    base::require(base::is_utf8(names[col]), ErrorCode::data, "{}:1:{}: the name {} is not UTF-8", format.source, col + 1,
                  base::quoted(names[col]));
    base::require(!has_control_character(names[col]), ErrorCode::data, "{}:1:{}: the name {} holds a control character",
                  format.source, col + 1, base::quoted(names[col]));
  }
  if (const auto twins = first_duplicate(names)) {
    const std::string& name = names[twins->first];
    base::fail(ErrorCode::data, "{}:1: fields {} and {} {}, expected different names", format.source, twins->first + 1,
               twins->second + 1, name.empty() ? "both have an empty name" : "are both named " + base::quoted(name));
  }
}

/// Takes the header, if there is one, from the front of `text`.
RowFormat read_format(std::string_view& text, std::string source, const TableFormat& wanted) {
  RowFormat format{.source = std::move(source), .dialect = recognise_dialect(text, wanted)};
  text = without_trailing_blank_lines(text, format.dialect.delimiter);
  std::string_view rest = text;
  const std::string_view first_line = take_line(rest);
  std::vector<Field> fields;
  cut_line(format, first_line, 1, fields);
  format.cols = fields.size();
  if (format.dialect.header) {
    for (const Field& field : fields) format.names.push_back(unescaped(field));
    check_names(format);
    text = rest;
  }
  return format;
}

/// Room for all values. A value takes at least one character, its delimiter: where the table would need more, some row
/// is ragged and the reader throws before it gets there, so that a hostile file cannot make us allocate.
std::vector<double> make_room(std::size_t rows, std::size_t cols, std::size_t characters) {
  const std::size_t most = characters + 1;
  return std::vector<double>(rows > most / cols ? most : rows * cols);
}

bool has_fault(const std::vector<std::optional<ColumnFault>>& faults) {
  return std::any_of(faults.begin(), faults.end(), [](const auto& fault) { return fault.has_value(); });
}

}  // namespace

Table parse_csv(std::string_view text, std::string source, const TableFormat& wanted) {
  text = checked_text(text, source);
  check_first_line(text, source);
  const RowFormat format = read_format(text, std::move(source), wanted);
  base::require(!text.empty(), ErrorCode::data, "{}: a header but no rows", format.source);

  const std::size_t rows = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  std::vector<double> values = make_room(rows, format.cols, text.size());
  RowReader reader(format);
  reader.read(text, 0, values);
  Table table{format.source, format.names, Matrix(rows, format.cols, std::move(values)), format.first_line()};
  if (has_fault(reader.faults())) table.faults = reader.faults();
  return table;
}

}  // namespace credens::data
