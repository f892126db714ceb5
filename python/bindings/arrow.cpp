// SPDX-License-Identifier: Apache-2.0
//
// Arrow's C data and stream interface, read without its library: the structs below are its specification.

#include <cmath>
#include <memory>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "table.hpp"

namespace credens::python {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace {

/// Released when it goes out of scope, as whoever takes such a struct must see to.
template <class T>
struct Held : T {
  Held() : T{} {}
  ~Held() {
    if (this->release) this->release(this);
  }
  Held(Held&& other) noexcept : T(other) { other.release = nullptr; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
};

void check_call(ArrowArrayStream& stream, int status) {
  if (status == 0) return;
  const char* reason = stream.get_last_error ? stream.get_last_error(&stream) : nullptr;
  base::fail(ErrorCode::data, "the Arrow stream failed: {}", reason ? reason : "it does not say why");
}

bool bit_at(const void* bits, std::int64_t index) {
  return (static_cast<const std::uint8_t*>(bits)[index / 8] >> (index % 8) & 1) != 0;
}

template <class T>
double number_at(const void* values, std::int64_t index) {
  return static_cast<double>(static_cast<const T*>(values)[index]);
}

using Read = double (*)(const void*, std::int64_t);

/// How a column's values are read; null where they are no numbers.
Read reader_of(const ArrowSchema& column) {
  const std::string_view format = column.format;
  if (column.dictionary != nullptr || format.size() != 1) return nullptr;
  switch (format.front()) {
    case 'b':
      return [](const void* bits, std::int64_t index) { return bit_at(bits, index) ? 1.0 : 0.0; };
    case 'c':
      return number_at<std::int8_t>;
    case 'C':
      return number_at<std::uint8_t>;
    case 's':
      return number_at<std::int16_t>;
    case 'S':
      return number_at<std::uint16_t>;
    case 'i':
      return number_at<std::int32_t>;
    case 'I':
      return number_at<std::uint32_t>;
    case 'l':
      return number_at<std::int64_t>;
    case 'L':
      return number_at<std::uint64_t>;
    case 'f':
      return number_at<float>;
    case 'g':
      return number_at<double>;
    default:
      return nullptr;
  }
}

std::vector<Held<ArrowArray>> batches_of(ArrowArrayStream& stream) {
  std::vector<Held<ArrowArray>> batches;
  while (true) {
    Held<ArrowArray> batch;
    check_call(stream, stream.get_next(&stream, &batch));
    if (batch.release == nullptr) return batches;
    batches.push_back(std::move(batch));
  }
}

void read_cell(data::Table& table, std::size_t row, std::size_t col, Read read, const ArrowArray& column,
               std::int64_t index) {
  const void* validity = column.buffers[0];
  std::string found;
  if (validity != nullptr && !bit_at(validity, index)) {
    found = "is missing";
  } else {
    const double value = table.values(row, col) = read(column.buffers[1], index);
    if (std::isfinite(value)) return;
    found = "is " + base::to_text(value);
  }
  if (!table.faults[col]) table.faults[col] = fault_at(table, row, col, found);
}

void read_batch(data::Table& table, std::size_t first_row, const ArrowArray& batch, const std::vector<Read>& readers) {
  for (std::size_t col = 0; col < readers.size(); ++col) {
    if (readers[col] == nullptr) continue;
    const ArrowArray& column = *batch.children[col];
    for (std::int64_t i = 0; i < batch.length; ++i) {
      read_cell(table, first_row + static_cast<std::size_t>(i), col, readers[col], column,
                batch.offset + column.offset + i);
    }
  }
}

std::vector<Read> readers_of(data::Table& table, const ArrowSchema& schema) {
  std::vector<Read> readers;
  for (std::int64_t col = 0; col < schema.n_children; ++col) {
    const ArrowSchema& column = *schema.children[col];
    table.names.emplace_back(column.name ? column.name : "");
    readers.push_back(reader_of(column));
    table.faults.emplace_back();
    if (readers.back() != nullptr) continue;
    const std::string type = column.dictionary ? "dictionary" : column.format;
    table.faults.back() =
        fault_at(table, 0, static_cast<std::size_t>(col), fmt::format("is of the Arrow type {}", base::quoted(type)));
  }
  return readers;
}

}  // namespace

data::Table read_arrow(ArrowArrayStream& stream, std::string source) {
  data::Table table{.source = std::move(source)};
  Held<ArrowSchema> schema;
  check_call(stream, stream.get_schema(&stream, &schema));
  base::require(std::string_view(schema.format) == "+s", ErrorCode::data,
                "{} is an Arrow stream of the type {}, expected record batches", table.source,
                base::quoted(schema.format));
  const std::vector<Read> readers = readers_of(table, schema);
  const std::vector<Held<ArrowArray>> batches = batches_of(stream);
  std::size_t rows = 0;
  for (const ArrowArray& batch : batches) rows += static_cast<std::size_t>(batch.length);
  table.values = Matrix(rows, readers.size());
  rows = 0;
  for (const ArrowArray& batch : batches) {
    read_batch(table, rows, batch, readers);
    rows += static_cast<std::size_t>(batch.length);
  }
  return table;
}

}  // namespace credens::python
