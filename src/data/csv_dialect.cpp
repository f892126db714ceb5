// SPDX-License-Identifier: Apache-2.0

#include "data/csv_dialect.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/csv_cell.hpp"
#include "data/csv_line.hpp"

namespace credens::data {

namespace {

// The order decides between delimiters that fit equally well: `1,5;2,5` is two columns (with decimal commas, refused
// later), `1, 2` has a comma.
constexpr char delimiters[] = {';', '\t', ',', ' '};

std::vector<std::string_view> first_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < sampled_lines) {
    const std::string_view line = take_line(text);
    if (!is_blank_line(line, ' ')) lines.push_back(line);
  }
  return lines;
}

std::size_t count_fields(std::string_view line, char delimiter) {
  LineFields fields(line, delimiter);
  Field field;
  std::size_t count = 0;
  while (fields.next(field)) ++count;
  return count;
}

/// The number of fields that most lines have, and how many lines those are. Of equally frequent numbers the one met
/// last: data rather than header.
struct CommonCount {
  std::size_t fields = 0;
  std::ptrdiff_t lines = 0;
};

CommonCount common_count(const std::vector<std::string_view>& lines, char delimiter) {
  std::vector<std::size_t> counts;
  for (const std::string_view line : lines) counts.push_back(count_fields(line, delimiter));
  CommonCount common;
  for (const std::size_t fields : counts) {
    const auto equal = std::count(counts.begin(), counts.end(), fields);
    if (equal >= common.lines) common = {fields, equal};
  }
  return common;
}

/// The delimiter that cuts most lines into the same number (> 1) of fields. If none does, the one that occurs in the
/// first line, so that the lines below are found to be ragged; a blank is no reason there: it may belong to the name of
/// a single column.
char recognise_delimiter(const std::vector<std::string_view>& lines) {
  std::optional<char> best;
  std::ptrdiff_t most_lines = 0;
  for (const char delimiter : delimiters) {
    const CommonCount common = common_count(lines, delimiter);
    if (common.fields > 1 && common.lines > most_lines) {
      best = delimiter;
      most_lines = common.lines;
    }
  }
  if (best) return *best;
  for (const char delimiter : {';', '\t'}) {
    if (count_fields(lines.front(), delimiter) > 1) return delimiter;
  }
  return ',';
}

struct SampledCell {
  std::string_view text;
  CellKind kind;
};

std::vector<SampledCell> cells_of(std::string_view line, char delimiter) {
  std::vector<SampledCell> cells;
  LineFields fields(line, delimiter);
  for (Field field; fields.next(field);) cells.push_back({field.text, read_cell(field.text).kind});
  return cells;
}

bool is_fraction(const SampledCell& cell) {
  return cell.kind == CellKind::number && cell.text.find_first_of(".eE") != std::string_view::npos;
}

bool has_text_above_number(const std::vector<SampledCell>& upper, const std::vector<SampledCell>& lower) {
  for (std::size_t i = 0; i < std::min(upper.size(), lower.size()); ++i) {
    if (upper[i].kind == CellKind::text && lower[i].kind == CellKind::number) return true;
  }
  return false;
}

/// Names are text. Numbers among them may be names too (years), if some text stands above a number; but a number with a
/// fraction is data, and the text beside it a slip, or a column that nobody will use.
bool looks_like_header(const std::vector<std::string_view>& lines, char delimiter) {
  const std::vector<SampledCell> first = cells_of(lines.front(), delimiter);
  const auto has = [&](CellKind kind) {
    return std::any_of(first.begin(), first.end(), [&](const SampledCell& cell) { return cell.kind == kind; });
  };
  if (!has(CellKind::text) || std::any_of(first.begin(), first.end(), is_fraction)) return false;
  if (!has(CellKind::number)) return true;
  return lines.size() > 1 && has_text_above_number(first, cells_of(lines[1], delimiter));
}

}  // namespace

Dialect recognise_dialect(std::string_view text, const TableFormat& format) {
  const std::vector<std::string_view> lines = first_lines(text);
  Dialect dialect;
  if (format.delimiter) {
    const bool known =
        std::find(std::begin(delimiters), std::end(delimiters), *format.delimiter) != std::end(delimiters);
    base::require(known, ErrorCode::usage, "delimiter {} is unknown, expected a comma, a semicolon, a tab or a blank",
                  base::quoted({&*format.delimiter, 1}));
  }
  dialect.delimiter = format.delimiter ? *format.delimiter : recognise_delimiter(lines);
  dialect.header_recognised = !format.header.has_value();
  dialect.header = format.header ? *format.header : looks_like_header(lines, dialect.delimiter);
  return dialect;
}

}  // namespace credens::data
