// SPDX-License-Identifier: Apache-2.0
//
// Arrays of NumPy, read whole and as tables.

#include "data/npy.hpp"

#include <memory>

#include "data/kinds.hpp"
#include "data/npy_reader.hpp"
#include "fuzz/fuzz.hpp"
#include "support/read_npy.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace credens;
  const std::string_view text = fuzz::text_of(bytes, size);
  data::NpyArray array;
  std::vector<double> stored;  // also of an array with names and words behind it
  const bool is_array = fuzz::survives([&] { array = test::parse_npy(text, "array"); });
  fuzz::survives([&] {
    data::NpyReader reader(std::make_unique<data::ByteSource>(text, "array"), {});
    while (reader.append(stored)) continue;
    fuzz::must(!is_array || fuzz::are_same(stored, array.values), "a table of an array has the array's values");
  });
  fuzz::survives([&] {
    data::NpyReader reader(std::make_unique<data::ByteSource>(text, "array"), {});
    std::vector<data::ColumnReading> readings;
    for (const data::ColumnContent& content : reader.contents()) {
      readings.push_back({.kind = data::recognised_kind(content), .levels = {"known"}});
    }
    reader.read_as(readings);
    std::vector<double> values;
    while (reader.append(values)) continue;
    const data::RowTranslation translation = reader.translation();
    if (translation) translation(stored);
    fuzz::must(fuzz::are_same(values, stored), "rows at any place are those in their order");
  });
  return 0;
}
