// SPDX-License-Identifier: Apache-2.0
//
// Delimited text. The first byte says what is given of its format.

#include "data/csv_reader.hpp"

#include <memory>

#include "base/text.hpp"
#include "data/encoding.hpp"
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
  survives([&] { decode(text_of(data + 1, size - 1)); });
  return 0;
}
