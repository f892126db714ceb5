// SPDX-License-Identifier: Apache-2.0
//
// One line of a table: its cells as numbers and dates, its names with their units. The first byte says how it is cut.

#include "data/csv_line.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "data/date.hpp"
#include "data/looks.hpp"
#include "data/units.hpp"
#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

/// The fast way to read a number reads the very double that the usual one reads.
void read_fast(std::string_view text, double expected) {
  const std::string padded = std::string(text) + std::string(32, ' ');
  const char* const first = padded.data();
  double fast = 0;
  const char* const end = data::read_short_decimal(first, first + text.size(), first + padded.size(), fast);
  if (end == first + text.size()) must(are_same({&fast, 1}, {&expected, 1}), "both ways read the same number");
}

void read_cell(std::string_view text, char decimal) {
  const data::Cell cell = data::read_cell(text, decimal);
  if (cell.kind != data::CellKind::number) {
    const std::string sentence = data::complaint(cell.kind, text);
    must(!sentence.empty() && base::printable(sentence) == sentence, "a complaint is shown and not obeyed");
    return;
  }
  must(std::isfinite(cell.value), "numbers are finite");
  const data::Cell again = data::read_cell(base::to_text(cell.value));
  must(are_same({&again.value, 1}, {&cell.value, 1}), "a number is written as it was read");
  if (decimal == '.') read_fast(text, cell.value);
}

void read_date(std::string_view text) {
  const std::optional<data::Date> date = data::read_date(text);
  if (!date) return;
  must(std::isfinite(date->seconds), "dates are finite");
  must(data::calendar_day(date->seconds) < data::days_of_calendar, "a date is a day of the calendar");
}

void read_label(std::string_view text) {
  const data::NameAndUnit parts = data::split_unit(text);
  must(text.find(parts.unit) != std::string_view::npos, "a unit is a part of its label");
  must(text.find(parts.name) != std::string_view::npos, "a name is a part of its label");
  must(text.find(data::unit_of_cell(text)) != std::string_view::npos, "a unit is a part of its cell");
  data::looks_like_unit(text);
  const std::vector<std::string> words(3, std::string(text));
  data::look_of(words);
}

void cut(std::string_view line, char delimiter, char decimal) {
  data::LineFields fields(line, delimiter);
  for (data::Field field; fields.next(field);) {
    must(field.text.empty() || is_within(field.text, line), "a field is a part of its line");
    const std::string text = data::unescaped(field);
    must(text.size() <= field.text.size(), "a field is no longer than it was written");
    read_cell(field.text, decimal);
    read_date(field.text);
    read_label(text);
  }
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  if (size == 0) return 0;
  std::string_view text = fuzz::text_of(data + 1, size - 1);
  while (!text.empty()) fuzz::cut(data::take_line(text), ",;\t "[data[0] & 3U], (data[0] & 4U) != 0 ? ',' : '.');
  return 0;
}
