// SPDX-License-Identifier: Apache-2.0
//
// Delimited text. The first byte says what is given of its format.

#include "data/csv_reader.hpp"

#include <cmath>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "data/date.hpp"
#include "data/encoding.hpp"
#include "data/kinds.hpp"
#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

TableFormat format_of(std::uint8_t byte) {
  TableFormat format{.threads = 1};
  if ((byte & 1U) != 0) format.header = (byte & 2U) != 0;
  if ((byte & 4U) != 0) format.delimiter = ",;\t "[byte >> 3U & 3U];
  if ((byte & 32U) != 0) format.decimal = (byte & 64U) != 0 ? ',' : '.';
  if ((byte & 128U) != 0) format.unit_line = (byte & 64U) != 0;
  return format;
}

std::vector<double> all_values(data::CsvReader& reader) {
  std::vector<double> values;
  while (reader.append(values)) continue;
  return values;
}

void read(std::string_view text, const TableFormat& format) {
  data::CsvReader reader(std::make_unique<data::ByteSource>(text, "table"), format);
  const std::vector<double> values = all_values(reader);
  must(values.size() == reader.count_rows() * reader.header().cols(), "rows are counted as they are read");
  const data::Table& header = reader.header();
  must(header.units.empty() || header.units.size() == header.names.size(), "a unit for each name");
  reader.rewind();
  must(are_same(all_values(reader), values), "a table that is read again is the same");
}

/// The text with these kinds of columns.
void read_as(std::string_view text, const TableFormat& format, const std::vector<data::ColumnReading>& readings) {
  data::CsvReader reader(std::make_unique<data::ByteSource>(text, "table"), format);
  reader.read_as(readings);
  const std::vector<double> values = all_values(reader);
  const std::size_t cols = reader.header().cols();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (reader.kind(i % cols) != ColumnKind::category || std::isnan(values[i])) continue;
    const std::vector<std::string>& words = reader.levels(i % cols);
    must(values[i] >= 0 && values[i] < static_cast<double>(words.size()), "a code stands for a word");
    must(base::is_utf8(words[static_cast<std::size_t>(values[i])]), "words are UTF-8");
  }
  reader.rewind();
  must(are_same(all_values(reader), values), "a table that is read again is the same");
}

/// Kinds as they are recognised, then all columns as words, which are forgotten, and as dates.
void read_kinds(std::string_view text, TableFormat format) {
  format.missing = {"none"};
  data::CsvReader reader(std::make_unique<data::ByteSource>(text, "table"), format);
  std::vector<data::ColumnReading> readings;
  for (const data::ColumnContent& content : reader.contents()) {
    readings.push_back({.kind = data::recognised_kind(content), .levels = {"known"}});
  }
  read_as(text, format, readings);
  for (const ColumnKind kind : {ColumnKind::category, ColumnKind::date}) {
    for (data::ColumnReading& reading : readings) reading = {.kind = kind, .is_copied = true};
    read_as(text, format, readings);
  }
}

/// A day that was read and written is read again as the same.
void read_day(std::string_view text) {
  const std::optional<data::Date> date = data::read_date(text);
  if (!date || std::floor(date->seconds) != date->seconds) return;
  const std::optional<data::Date> again = data::read_date(data::date_text(date->seconds));
  must(again && again->seconds == date->seconds, "a date is written as it was read");
  must(data::calendar_day(date->seconds) < data::days_of_calendar, "a date is a day of the calendar");
}

/// The text in one piece and byte by byte, as UTF-16 with its mark.
void decode(std::string_view text) {
  const std::string bytes = "\xff\xfe" + std::string(text);
  std::string whole;
  data::Utf16Decoder at_once("table");
  at_once.add(bytes, whole);
  std::string joined;
  data::Utf16Decoder in_pieces("table");
  for (const char& byte : bytes) in_pieces.add({&byte, 1}, joined);
  must(joined == whole, "pieces do not matter");
  must(base::is_utf8(whole), "UTF-16 becomes UTF-8");
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens::fuzz;
  if (size == 0) return 0;
  survives([&] { read(text_of(data + 1, size - 1), format_of(data[0])); });
  survives([&] { read_kinds(text_of(data + 1, size - 1), format_of(data[0])); });
  survives([&] { read_day(text_of(data + 1, size - 1)); });
  survives([&] { decode(text_of(data + 1, size - 1)); });
  return 0;
}
