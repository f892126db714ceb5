// SPDX-License-Identifier: Apache-2.0

#include "data/csv_names.hpp"

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/table.hpp"
#include "data/units.hpp"

namespace credens::data {

namespace {

void check_controls(std::span<const std::string> words, std::string_view what, std::size_t line,
                    const std::string& source) {
  for (std::size_t col = 0; col < words.size(); ++col) {
    base::require(!has_control_character(words[col]), ErrorCode::data, "{}:{}:{}: the {} {} holds a control character",
                  source, line, col + 1, what, base::quoted(words[col]));
  }
}

void check_distinct(const RowFormat& format) {
  const auto& names = format.names;
  if (const auto twins = first_duplicate(names)) {
    const std::string& name = names[twins->first];
    base::fail(ErrorCode::data, "{}:1: fields {} and {} {}, expected different names", format.source, twins->first + 1,
               twins->second + 1, name.empty() ? "both have an empty name" : "are both named " + base::quoted(name));
  }
}

/// Words of a line as UTF-8. `latin1` keeps the first of them that were Latin-1.
std::vector<std::string> words_of(std::span<const Field> fields, const RowFormat& format, std::size_t line,
                                  TextEncoding& encoding, std::string& latin1) {
  std::vector<std::string> words;
  std::string room;
  for (const Field& field : fields) {
    room.clear();
    const auto place = [&] { return field_place(format.source, {}, line, words.size()); };
    words.emplace_back(encoding.utf8_of(unescaped(field), room, place));
    if (latin1.empty()) latin1 = room;
  }
  return words;
}

}  // namespace

std::vector<std::string> read_name_line(std::span<const Field> fields, const RowFormat& format, TextEncoding& encoding,
                                        std::string& latin1) {
  std::vector<std::string> names = words_of(fields, format, 1, encoding, latin1);
  check_controls(names, "name", 1, format.source);
  return names;
}

std::vector<std::string> read_unit_line(std::string_view line, const RowFormat& format, TextEncoding& encoding,
                                        std::string& latin1) {
  std::vector<Field> fields;
  cut_row(format, line, 2, fields);
  std::vector<std::string> units = words_of(fields, format, 2, encoding, latin1);
  check_controls(units, "unit", 2, format.source);
  for (std::size_t col = 0; col < units.size(); ++col) {
    base::require(read_cell(units[col], format.dialect.decimal).kind != CellKind::number, ErrorCode::usage,
                  "{}: a line of units is given, but {} is a number", field_place(format.source, format.names, 2, col),
                  base::quoted(units[col]));
    units[col] = unit_of_cell(units[col]);
  }
  return units;
}

void take_units(RowFormat& format, std::vector<std::string>& units) {
  separate_units(format.names, units);
  check_distinct(format);
}

}  // namespace credens::data
