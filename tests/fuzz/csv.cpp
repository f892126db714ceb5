// SPDX-License-Identifier: Apache-2.0
//
// Delimited text. The first byte says what is given of its format.

#include "data/csv_reader.hpp"

#include <memory>

#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

TableFormat format_of(std::uint8_t byte) {
  TableFormat format{.threads = 1};
  if ((byte & 1U) != 0) format.header = (byte & 2U) != 0;
  if ((byte & 4U) != 0) format.delimiter = ",;\t "[byte >> 3U & 3U];
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
  reader.rewind();
  must(are_same(all_values(reader), values), "a table that is read again is the same");
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens::fuzz;
  if (size == 0) return 0;
  survives([&] { read(text_of(data + 1, size - 1), format_of(data[0])); });
  return 0;
}
