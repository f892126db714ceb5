// SPDX-License-Identifier: Apache-2.0
//
// Arrow's C data and stream interface, read without its library: the structs below are its specification.

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/words.hpp"
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

/// Null for what is no number.
Read number_reader(std::string_view format) {
  if (format.size() != 1) return nullptr;
  switch (format.front()) {
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

/// Whole seconds are exact, whatever the unit.
template <class T, std::int64_t ticks_per_second>
double seconds_at(const void* values, std::int64_t index) {
  const std::int64_t ticks = static_cast<const T*>(values)[index];
  std::int64_t whole = ticks / ticks_per_second;
  std::int64_t rest = ticks % ticks_per_second;
  if (rest < 0) {
    --whole;
    rest += ticks_per_second;
  }
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(ticks_per_second);
}

/// Null for what is no day or time.
Read date_reader(std::string_view format) {
  if (format == "tdD") {
    return [](const void* days, std::int64_t index) { return 86400.0 * static_cast<const std::int32_t*>(days)[index]; };
  }
  if (format == "tdm") return seconds_at<std::int64_t, 1000>;
  if (format.starts_with("tss:")) return seconds_at<std::int64_t, 1>;
  if (format.starts_with("tsm:")) return seconds_at<std::int64_t, 1000>;
  if (format.starts_with("tsu:")) return seconds_at<std::int64_t, 1'000'000>;
  if (format.starts_with("tsn:")) return seconds_at<std::int64_t, 1'000'000'000>;
  return nullptr;
}

/// The name of the zone stands behind a colon: `tsu:UTC`.
bool has_zone(std::string_view format) {
  return format.starts_with("ts") && format.size() > std::string_view("tsu:").size();
}

template <class Offset>
std::string_view text_at(const ArrowArray& column, std::int64_t index) {
  const auto* const offsets = static_cast<const Offset*>(column.buffers[1]);
  const auto first = static_cast<std::size_t>(offsets[index]);
  return {static_cast<const char*>(column.buffers[2]) + first, static_cast<std::size_t>(offsets[index + 1]) - first};
}

/// A view of 16 bytes: the length, then the text itself, or four letters of it, the number of its buffer and its place.
std::string_view viewed_text_at(const ArrowArray& column, std::int64_t index) {
  constexpr std::int32_t longest_within = 12;
  const char* const view = static_cast<const char*>(column.buffers[1]) + 16 * index;
  std::int32_t fields[4];
  std::memcpy(fields, view, sizeof fields);
  const auto length = static_cast<std::size_t>(fields[0]);
  if (fields[0] <= longest_within) return {view + 4, length};
  return {static_cast<const char*>(column.buffers[2 + fields[2]]) + fields[3], length};
}

using ReadText = std::string_view (*)(const ArrowArray&, std::int64_t);

/// Null for what is no text.
ReadText text_reader(std::string_view format) {
  if (format == "u") return text_at<std::int32_t>;
  if (format == "U") return text_at<std::int64_t>;
  return format == "vu" ? viewed_text_at : nullptr;
}

/// How the cells of a column are read: as numbers, as text, or as places in a dictionary of texts.
struct ColumnReader {
  std::optional<Content> content;  ///< none: the column is of another type
  std::optional<bool> has_zone = std::nullopt;
  Read number = nullptr;
  ReadText text = nullptr;
  data::WordIndex words = data::WordIndex();
};

ColumnReader reader_of(const ArrowSchema& column) {
  const std::string_view format = column.format;
  if (column.dictionary != nullptr) {
    const ReadText text = text_reader(column.dictionary->format);
    if (text == nullptr) return {};
    return {.content = Content::word, .number = number_reader(format), .text = text};
  }
  if (format == "n") return {.content = Content::number};
  if (format == "b") return {.content = Content::flag};
  if (const ReadText text = text_reader(format)) return {.content = Content::text, .text = text};
  if (const Read date = date_reader(format)) {
    return {.content = Content::date, .has_zone = has_zone(format), .number = date};
  }
  if (const Read number = number_reader(format)) return {.content = Content::number, .number = number};
  return {};
}

bool is_valid(const ArrowArray& column, std::int64_t index) {
  return column.buffers[0] == nullptr || bit_at(column.buffers[0], index);
}

/// The value of a cell that is not missing.
double value_at(ColumnReader& reader, const ArrowArray& column, std::int64_t index) {
  switch (*reader.content) {
    case Content::text:
      return reader.words.code_of(reader.text(column, index));
    case Content::flag:
      return reader.words.code_of(bit_at(column.buffers[1], index) ? "True" : "False");
    case Content::word: {
      const ArrowArray& dictionary = *column.dictionary;
      const auto place = static_cast<std::int64_t>(reader.number(column.buffers[1], index)) + dictionary.offset;
      if (!is_valid(dictionary, place)) return std::numeric_limits<double>::quiet_NaN();
      return reader.words.code_of(reader.text(dictionary, place));
    }
    case Content::number:
    case Content::date:
      break;
  }
  return reader.number(column.buffers[1], index);
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

void read_batch(Frame& frame, std::size_t first_row, const ArrowArray& batch, std::vector<ColumnReader>& readers) {
  for (std::size_t col = 0; col < readers.size(); ++col) {
    ColumnReader& reader = readers[col];
    const ArrowArray& column = *batch.children[col];
    const bool has_values =
        reader.content && (reader.number != nullptr || reader.text != nullptr || *reader.content == Content::flag);
    for (std::int64_t i = 0; i < batch.length; ++i) {
      const std::int64_t index = batch.offset + column.offset + i;
      frame.table.values(first_row + static_cast<std::size_t>(i), col) = has_values && is_valid(column, index)
                                                                             ? value_at(reader, column, index)
                                                                             : std::numeric_limits<double>::quiet_NaN();
    }
  }
}

std::vector<ColumnReader> readers_of(Frame& frame, const ArrowSchema& schema) {
  std::vector<ColumnReader> readers;
  for (std::int64_t col = 0; col < schema.n_children; ++col) {
    const ArrowSchema& column = *schema.children[col];
    frame.table.names.emplace_back(column.name ? column.name : "");
    readers.push_back(reader_of(column));
    frame.contents.push_back(readers.back().content.value_or(Content::number));
    frame.table.faults.emplace_back();
    frame.table.zones.push_back(readers.back().has_zone);
    if (readers.back().content) continue;
    const std::string type = column.dictionary ? "dictionary" : column.format;
    frame.table.faults.back() = fault_at(frame.table, 0, static_cast<std::size_t>(col),
                                         fmt::format("is of the Arrow type {}", base::quoted(type)));
  }
  return readers;
}

void take_words(Frame& frame, const std::vector<ColumnReader>& readers) {
  for (std::size_t col = 0; col < readers.size(); ++col) {
    frame.table.levels.push_back(readers[col].words.words());
    for (const std::string& word : frame.table.levels.back()) {
      base::require(base::is_utf8(word), ErrorCode::data, "{}: column {} holds {}, which is no UTF-8",
                    frame.table.source, base::quoted(frame.table.names[col]), base::quoted(word));
    }
  }
}

}  // namespace

Frame read_arrow(ArrowArrayStream& stream, std::string source) {
  Frame frame{.table = {.source = std::move(source)}};
  Held<ArrowSchema> schema;
  check_call(stream, stream.get_schema(&stream, &schema));
  base::require(std::string_view(schema.format) == "+s", ErrorCode::data,
                "{} is an Arrow stream of the type {}, expected record batches", frame.table.source,
                base::quoted(schema.format));
  std::vector<ColumnReader> readers = readers_of(frame, schema);
  const std::vector<Held<ArrowArray>> batches = batches_of(stream);
  std::size_t rows = 0;
  for (const ArrowArray& batch : batches) rows += static_cast<std::size_t>(batch.length);
  frame.table.values = Matrix(rows, readers.size());
  rows = 0;
  for (const ArrowArray& batch : batches) {
    read_batch(frame, rows, batch, readers);
    rows += static_cast<std::size_t>(batch.length);
  }
  take_words(frame, readers);
  return frame;
}

}  // namespace credens::python
