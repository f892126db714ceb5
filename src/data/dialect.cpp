// SPDX-License-Identifier: Apache-2.0

#include "data/dialect.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/csv_line.hpp"
#include "data/units.hpp"

namespace credens::data {

namespace {

// The order decides between delimiters that fit equally well: `1,5;2,5` is two columns with decimal commas, `1, 2` has
// a comma.
constexpr char delimiters[] = {';', '\t', ',', ' '};

std::vector<std::string_view> first_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < sampled_lines) {
    const std::string_view line = take_line(text);
    if (!is_blank_line(line, ' ')) lines.push_back(line);
  }
  return lines;
}

std::vector<Field> fields_of(std::string_view line, char delimiter) {
  std::vector<Field> fields;
  LineFields cutter(line, delimiter);
  for (Field field; fields.size() <= most_fields && cutter.next(field);) fields.push_back(field);
  return fields;
}

/// The number of fields that most lines have, and how many lines those are. Of equally frequent numbers the one met
/// last: data rather than header.
struct CommonCount {
  std::size_t fields = 0;
  std::ptrdiff_t lines = 0;
};

CommonCount common_count(const std::vector<std::string_view>& lines, char delimiter) {
  std::vector<std::size_t> counts;
  for (const std::string_view line : lines) counts.push_back(fields_of(line, delimiter).size());
  CommonCount common;
  for (const std::size_t fields : counts) {
    const auto equal = std::count(counts.begin(), counts.end(), fields);
    if (equal >= common.lines) common = {fields, equal};
  }
  return common;
}

bool holds(const Field& field, CellKind kind, char decimal = '.') {
  return read_cell(field.text, decimal).kind == kind;
}

/// `1,5 2,5`: blanks, not commas, leave numbers on every line, at least where the first holds names.
bool has_blanks_and_decimal_commas(const std::vector<std::string_view>& lines) {
  bool has_commas = false;
  for (std::size_t i = lines.size() > 1 ? 1 : 0; i < lines.size(); ++i) {
    const std::vector<Field> fields = fields_of(lines[i], ' ');
    if (fields.size() < 2 || fields.size() != fields_of(lines.back(), ' ').size()) return false;
    for (const Field& field : fields) {
      const bool has_outer_comma = field.text.starts_with(',') || field.text.ends_with(',');  // `1, 2` or `1 ,2`
      if (has_outer_comma || !holds(field, CellKind::number, ',')) return false;
      has_commas = has_commas || holds(field, CellKind::decimal_comma);
    }
  }
  return has_commas;
}

/// The delimiter that cuts most lines into the same number (> 1) of fields. If none does, the one that occurs in the
/// first line, so that the lines below are found to be ragged; a blank is no reason there: it may belong to the name of
/// a single column.
char recognise_delimiter(const std::vector<std::string_view>& lines, bool has_decimal_comma) {
  std::optional<char> best;
  std::ptrdiff_t most_lines = 0;
  for (const char delimiter : delimiters) {
    if (delimiter == ',' && has_decimal_comma) continue;
    const CommonCount common = common_count(lines, delimiter);
    if (common.fields > 1 && common.lines > most_lines) {
      best = delimiter;
      most_lines = common.lines;
    }
  }
  if (best == ',' && has_blanks_and_decimal_commas(lines)) return ' ';
  if (best) return *best;
  for (const char delimiter : {';', '\t'}) {
    if (fields_of(lines.front(), delimiter).size() > 1) return delimiter;
  }
  return has_decimal_comma ? ';' : ',';
}

/// `1,234` is 1.234 or 1234, `0,234` and `1,23` are not.
bool may_be_thousands(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t comma = text.find(',');
  return !text.starts_with('0') && comma <= 3 && text.size() == comma + 4 &&
         text.find_first_of("eE", comma) == std::string_view::npos;
}

/// The mark of most fractions in the first lines. Between tabs and blanks `1,234` alone is no reason for a comma: it
/// may separate thousands.
char recognise_decimal(const std::vector<std::string_view>& lines, char delimiter) {
  if (delimiter == ',') return '.';
  if (common_count(lines, delimiter).fields < 2) return '.';  // commas may well be the delimiter
  std::size_t commas = 0;
  std::size_t points = 0;
  bool is_certain = delimiter == ';';
  for (const std::string_view line : lines) {
    for (const Field& field : fields_of(line, delimiter)) {
      const bool has_comma = holds(field, CellKind::decimal_comma);
      commas += has_comma ? 1 : 0;
      points += holds(field, CellKind::number) && field.text.find('.') != std::string_view::npos ? 1 : 0;
      is_certain = is_certain || (has_comma && !may_be_thousands(field.text));
    }
  }
  return is_certain && commas > points ? ',' : '.';
}

bool is_fraction(const Field& field, char decimal) {
  return holds(field, CellKind::number, decimal) && field.text.find_first_of(".,eE") != std::string_view::npos;
}

bool has_text_above_number(const std::vector<Field>& upper, const std::vector<Field>& lower, char decimal) {
  for (std::size_t i = 0; i < std::min(upper.size(), lower.size()); ++i) {
    if (holds(upper[i], CellKind::text, decimal) && holds(lower[i], CellKind::number, decimal)) return true;
  }
  return false;
}

/// Names are text. Numbers among them may be names too (years), if some text stands above a number; but a number with a
/// fraction is data, and the text beside it a slip, or a column that nobody will use.
bool looks_like_header(const std::vector<std::string_view>& lines, char delimiter, char decimal) {
  const std::vector<Field> first = fields_of(lines.front(), delimiter);
  const auto has = [&](CellKind kind) {
    return std::ranges::any_of(first, [&](const Field& field) { return holds(field, kind, decimal); });
  };
  const bool has_fraction = std::ranges::any_of(first, [&](const Field& field) { return is_fraction(field, decimal); });
  if (!has(CellKind::text) || has_fraction) return false;
  if (!has(CellKind::number)) return true;
  return lines.size() > 1 && has_text_above_number(first, fields_of(lines[1], delimiter), decimal);
}

/// Whether the lines from `first` on have numbers in this column; some may be missing.
bool has_numbers_from(const std::vector<std::string_view>& lines, std::size_t first, std::size_t col,
                      const Dialect& dialect) {
  bool has_number = false;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const std::vector<Field> fields = fields_of(lines[i], dialect.delimiter);
    if (col >= fields.size()) return false;
    const CellKind kind = read_cell(fields[col].text, dialect.decimal).kind;
    if (kind != CellKind::number && kind != CellKind::missing) return false;
    has_number = has_number || kind == CellKind::number;
  }
  return has_number;
}

/// The words of a line that stand above numbers.
struct WordsAboveNumbers {
  std::size_t units = 0;  ///< of them that look like units
  std::size_t others = 0;

  bool are_units() const { return units > 0 && units >= others; }
};

/// Counts the words of the second line if it holds a word or nothing for each name, and none otherwise.
WordsAboveNumbers words_above_numbers(const std::vector<std::string_view>& lines, const Dialect& dialect) {
  if (!dialect.header || lines.size() < 3) return {};
  const std::vector<Field> cells = fields_of(lines[1], dialect.delimiter);
  if (cells.size() != fields_of(lines[0], dialect.delimiter).size()) return {};
  WordsAboveNumbers found;
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const bool is_word = holds(cells[col], CellKind::text, dialect.decimal);
    if (!is_word && !cells[col].text.empty()) return {};
    const std::string unit = unescaped(cells[col]);
    if (unit_of_cell(unit).empty() || !has_numbers_from(lines, 2, col, dialect)) continue;
    ++(looks_like_unit(unit) ? found.units : found.others);
  }
  return found;
}

void recognise_units(const std::vector<std::string_view>& lines, const TableFormat& format, Dialect& dialect) {
  dialect.unit_line = dialect.header && format.unit_line == true;
  if (format.unit_line || lines_to_recognise(format) == 0) return;
  const WordsAboveNumbers found = words_above_numbers(lines, dialect);
  dialect.unit_line = found.are_units();
  dialect.doubtful_units = !found.are_units() && found.units + found.others > 0;
}

/// `1,2x,3` above numbers alone: names, or a row with a slip.
bool mixes_above_numbers(const std::vector<std::string_view>& lines, const Dialect& dialect) {
  const std::vector<Field> first = fields_of(lines.front(), dialect.delimiter);
  bool has_number = false;
  for (std::size_t col = 0; col < first.size(); ++col) {
    has_number = has_number || holds(first[col], CellKind::number, dialect.decimal);
    if (!has_numbers_from(lines, 1, col, dialect)) return false;
  }
  return has_number;
}

void check_format(const TableFormat& format) {
  if (format.delimiter) {
    const bool known =
        std::find(std::begin(delimiters), std::end(delimiters), *format.delimiter) != std::end(delimiters);
    base::require(known, ErrorCode::usage, "delimiter {} is unknown, expected a comma, a semicolon, a tab or a blank",
                  base::quoted({&*format.delimiter, 1}));
  }
  base::require(!format.decimal || *format.decimal == '.' || *format.decimal == ',', ErrorCode::usage,
                "decimal mark {} is unknown, expected a point or a comma", base::quoted({&*format.decimal, 1}));
  base::require(format.decimal != ',' || format.delimiter != ',', ErrorCode::usage,
                "both the decimal mark and the delimiter are a comma, expected two marks");
  base::require(format.unit_line != true || format.header != false, ErrorCode::usage,
                "a line of units is given, but no header above it");
}

}  // namespace

Dialect recognise_dialect(std::string_view text, const TableFormat& format) {
  const std::vector<std::string_view> lines = first_lines(text);
  Dialect dialect;
  check_format(format);
  dialect.delimiter = format.delimiter ? *format.delimiter : recognise_delimiter(lines, format.decimal == ',');
  dialect.decimal = format.decimal ? *format.decimal : recognise_decimal(lines, dialect.delimiter);
  dialect.header_recognised = !format.header.has_value();
  const bool needs_header = format.unit_line == true;
  dialect.header = format.header.value_or(needs_header || looks_like_header(lines, dialect.delimiter, dialect.decimal));
  const bool is_guessed = dialect.header && dialect.header_recognised && !needs_header;
  dialect.header_doubtful = is_guessed && mixes_above_numbers(lines, dialect);
  recognise_units(lines, format, dialect);
  return dialect;
}

std::size_t lines_to_recognise(const TableFormat& format) {
  const bool knows_decimal = format.decimal || format.delimiter == ',';
  return format.header && format.delimiter && knows_decimal ? 0 : sampled_lines;
}

}  // namespace credens::data
