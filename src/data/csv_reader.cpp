// SPDX-License-Identifier: Apache-2.0

#include "data/csv_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/date.hpp"
#include "data/encoding.hpp"
#include "data/table.hpp"
#include "data/units.hpp"

namespace credens::data {

namespace {

constexpr std::size_t unknown_end = std::numeric_limits<std::size_t>::max();

// A value takes at least one character and becomes eight bytes: a window and its values stay below 64 MB.
constexpr std::size_t window_size = std::size_t{4} << 20;
constexpr std::size_t block_size = std::size_t{128} << 10;  // a block and its values stay in a core's cache

/// Cuts at the first line end at or after every `block_size` characters.
void cut_blocks(std::string_view lines, std::vector<std::string_view>& blocks) {
  blocks.clear();
  while (!lines.empty()) {
    const std::size_t line_end = lines.size() > block_size ? lines.find('\n', block_size) : std::string_view::npos;
    const std::size_t size = line_end == std::string_view::npos ? lines.size() : line_end + 1;
    blocks.push_back(lines.substr(0, size));
    lines.remove_prefix(size);
  }
}

using namespace std::string_view_literals;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"sv;

/// Whole lines from the start of the file, enough to recognise how it is written.
std::string_view start_of(ByteSource& bytes, std::size_t enough_lines) {
  std::size_t most = std::size_t{64} << 10;
  for (std::size_t least = 1;;) {
    const std::string_view text = bytes.arrived(0, least, most);
    if (text.size() < most && bytes.ended()) return text;
    if (std::count(text.begin(), text.end(), '\n') >= static_cast<std::ptrdiff_t>(enough_lines)) {
      return text.substr(0, text.rfind('\n') + 1);
    }
    if (text.size() == most) most *= 2;
    least = text.size() + 1;
  }
}

void check_text(std::string_view text, const std::string& source) {
  base::require(!has_utf16_mark(text), ErrorCode::data, "{}: UTF-16 text, expected UTF-8", source);
  base::require(!text.empty(), ErrorCode::data, "{}: empty, expected a table", source);
  const bool has_one_zero = text.size() > 1 && (text[0] == '\0') != (text[1] == '\0');
  base::require(!has_one_zero, ErrorCode::data,
                "{}: UTF-16 text without its mark (the bytes FF FE or FE FF at its start), expected UTF-8, or the mark",
                source);
  base::require(text.find('\0') == std::string_view::npos, ErrorCode::data,
                "{}: binary data (a zero byte), expected a table as text", source);
}

void check_first_line(std::string_view text, const std::string& source) {
  const std::string_view line = take_line(text);
  base::require(!is_blank_line(line, ' '), ErrorCode::data, "{}:1: blank line, expected names or numbers", source);
  const bool binary = std::any_of(line.begin(), line.end(), [](char c) {
    return c != '\t' && c != '\r' && has_control_character({&c, 1});
  });
  base::require(!binary, ErrorCode::data, "{}:1: binary data (a control character), expected a table as text", source);
}

std::string_view without_trailing_blank_lines(std::string_view text, char delimiter) {
  for (;;) {
    const std::size_t last_break = text.find_last_of('\n');
    const std::size_t start = last_break == std::string_view::npos ? 0 : last_break + 1;
    std::string_view rest = text.substr(start);
    if (start == 0 || !is_blank_line(take_line(rest), delimiter)) return text;
    text = text.substr(0, last_break);
  }
}

/// The place of the last character after `first` that is not blank.
std::size_t last_visible(ByteSource& bytes, std::size_t first) {
  for (std::size_t size = 4096;; size *= 2) {
    const std::size_t tail_at = std::max(first, bytes.size() - std::min(size, bytes.size()));
    const std::size_t visible = bytes.window(tail_at, size).find_last_not_of(" \t\r\n");
    if (visible != std::string_view::npos) return tail_at + visible;
    base::require(tail_at > first, ErrorCode::data, "{}: only blank lines, expected a table", bytes.name());
  }
}

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

/// Words of a line as UTF-8. Those that are not are taken for Latin-1, and `latin1` keeps the first of them.
std::vector<std::string> words_of(std::span<const Field> fields, const RowFormat& format, std::size_t line,
                                  std::string& latin1) {
  std::vector<std::string> words;
  for (const Field& field : fields) {
    words.push_back(unescaped(field));
    if (base::is_utf8(words.back())) continue;
    const auto utf8 = utf8_from_latin1(words.back());
    base::require(utf8.has_value(), ErrorCode::data, "{}:{}:{}: {} is neither UTF-8 nor Latin-1", format.source, line,
                  words.size(), base::quoted(words.back()));
    words.back() = *utf8;
    if (latin1.empty()) latin1 = *utf8;
  }
  return words;
}

/// Throws data where the line of units does not fit to the names.
std::vector<std::string> read_units(std::string_view line, const RowFormat& format, std::string& latin1) {
  std::vector<Field> fields;
  cut_row(format, line, 2, fields);
  std::vector<std::string> units = words_of(fields, format, 2, latin1);
  check_controls(units, "unit", 2, format.source);
  return units;
}

/// The size of whole lines without the blank ones at their end and without the last line end; 0: all are blank.
std::size_t rows_size(std::string_view lines, char delimiter) {
  const std::size_t visible = lines.find_last_not_of(" \t\r\n");
  const std::size_t first = visible == std::string_view::npos ? 0 : visible;
  const std::string_view rows = without_trailing_blank_lines(lines.substr(first), delimiter);
  const bool is_blank = visible == std::string_view::npos && is_blank_line(rows, delimiter);
  return is_blank ? 0 : first + rows.size();
}

/// Throws data where no row lies between the two.
void check_rows(std::size_t first_row_at, std::size_t end, const std::string& source) {
  base::require(first_row_at < end, ErrorCode::data, "{}: a header but no rows", source);
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> bytes, const TableFormat& wanted)
    : bytes_(std::move(bytes)), threads_(wanted.threads) {
  read_head(wanted);
  header_.source = format_.source;
  header_.names = format_.names;
  header_.values = Matrix(0, format_.cols);
  header_.decimal = format_.dialect.decimal;
  header_.first_line = format_.first_line();
  read_as(std::vector<ColumnReading>(format_.cols));
  rewind();
}

/// Columns, and names and units if there are some, from the first lines of `text`, which is left with what follows.
void CsvReader::read_names(std::string_view& text) {
  std::vector<Field> fields;
  std::string_view rest = text;
  cut_line(format_, take_line(rest), 1, fields);
  format_.cols = fields.size();
  if (!format_.dialect.header) return;
  std::string latin1;
  format_.names = words_of(fields, format_, 1, latin1);
  check_controls(format_.names, "name", 1, format_.source);
  if (format_.dialect.unit_line) header_.units = read_units(take_line(rest), format_, latin1);
  separate_units(format_.names, header_.units);
  check_distinct(format_);
  if (!latin1.empty()) {
    header_.warnings.push_back(
        fmt::format("{}: names are not UTF-8, taken for Latin-1: {}", format_.source, base::quoted(latin1)));
  }
  text = rest;
}

/// Throws data for bytes that are no text and for a table without rows.
void CsvReader::read_head(const TableFormat& wanted) {
  const std::string& source = bytes_->name();
  const std::size_t mark = bytes_->window(0, byte_order_mark.size()) == byte_order_mark ? byte_order_mark.size() : 0;
  const std::size_t enough_lines =
      std::max<std::size_t>(lines_to_recognise(wanted), wanted.unit_line == true ? 1 : 0) + 1;
  check_text(start_of(*bytes_, enough_lines).substr(mark), source);
  const bool knows_end = bytes_->knows_size();
  const std::size_t visible = knows_end ? last_visible(*bytes_, mark) : 0;

  std::string_view text = start_of(*bytes_, enough_lines).substr(mark);
  check_first_line(text, source);
  format_ = {.source = source, .dialect = recognise_dialect(text, wanted), .missing = wanted.missing};
  const std::size_t size = text.size();
  read_names(text);
  first_ = mark + size - text.size();

  end_ = unknown_end;
  if (!knows_end) return;
  const std::string_view tail = bytes_->window(visible, bytes_->size());
  end_ = visible + without_trailing_blank_lines(tail, format_.dialect.delimiter).size();
  check_rows(first_, end_, source);
}

void CsvReader::rewind() {
  at_ = first_;
  rows_ = 0;
  faults_.clear();
  missing_.clear();
}

/// Looks at a megabyte, which has some thousands of rows.
std::vector<ColumnContent> CsvReader::contents() {
  constexpr std::size_t enough = std::size_t{1} << 20;
  std::vector<ColumnContent> contents(format_.cols);
  std::string_view lines = next_window(first_);
  if (lines.size() > enough) lines = lines.substr(0, lines.rfind('\n', enough) + 1);
  std::vector<Field> fields;
  for (std::size_t row = 0; !lines.empty(); ++row) {
    cut_row(format_, take_line(lines), format_.first_line() + row, fields);
    for (std::size_t col = 0; col < fields.size(); ++col) {
      const std::string_view text = fields[col].text;
      if (is_missing(text, format_.missing)) continue;
      const bool is_text = read_cell(text, format_.dialect.decimal).kind == CellKind::text;
      const bool is_date = is_text && read_date(text).has_value();
      ++(is_date ? contents[col].dates : is_text ? contents[col].words : contents[col].numbers);
    }
  }
  return contents;
}

void CsvReader::read_as(std::vector<ColumnReading> columns) {
  const bool are_numbers =
      std::ranges::all_of(columns, [](const ColumnReading& column) { return column.kind == ColumnKind::number; });
  words_.assign(format_.cols, WordIndex());
  zones_.assign(format_.cols, -1);
  format_.kinds.clear();
  if (are_numbers && format_.missing.empty()) return;
  for (std::size_t col = 0; col < format_.cols; ++col) {
    format_.kinds.push_back(columns[col].kind);
    words_[col] = WordIndex(std::move(columns[col].levels), columns[col].takes_new_levels);
  }
}

/// Whole lines that have come, at least one. A megabyte without a row is most likely blank lines: it is looked through
/// again when twice as much has come, not with every piece.
std::string_view CsvReader::next_arrived(std::size_t first) {
  constexpr std::size_t much = std::size_t{1} << 20;
  for (std::size_t least = 1;;) {
    const std::size_t most = std::max(window_size, least);
    const std::string_view text = bytes_->arrived(first, least, most);
    const std::optional<std::string_view> rows = rows_of(text, first, text.size() < most && bytes_->ended());
    if (rows) return *rows;
    least = text.size() < much ? text.size() + 1 : 2 * text.size();
  }
}

/// Whole lines from `first` on: a window of them, or one line that is longer.
std::string_view CsvReader::next_window(std::size_t first) {
  if (end_ == unknown_end) return next_arrived(first);
  for (std::size_t size = window_size;; size *= 2) {
    const std::string_view text = bytes_->window(first, std::min(size, end_ - first));
    if (first + text.size() == end_) return text;
    const std::size_t last_end = text.rfind('\n');
    if (last_end != std::string_view::npos) return text.substr(0, last_end + 1);
  }
}

/// If the end of the file is not known before it comes, blank lines wait until it is known whether they are the
/// last.
std::optional<std::string_view> CsvReader::rows_of(std::string_view text, std::size_t first, bool is_last) {
  if (!is_last) text = text.substr(0, text.rfind('\n') + 1);
  const std::size_t size = rows_size(text, format_.dialect.delimiter);
  if (is_last) {
    end_ = first + size;
    check_rows(first_, end_, format_.source);
    return text.substr(0, size);
  }
  if (size == 0) return std::nullopt;
  return text.substr(0, size + 1);
}

void CsvReader::read_blocks(std::string_view lines) {
  cut_blocks(lines, block_lines_);
  while (blocks_.size() < block_lines_.size()) blocks_.emplace_back(format_);
  const std::span<const WordIndex> known = format_.kinds.empty() ? std::span<const WordIndex>() : words_;
  base::parallel_for(block_lines_.size(), threads_, [&](std::size_t i) { blocks_[i].read(block_lines_[i], known); });
}

bool CsvReader::append(std::vector<double>& values) {
  if (at_ >= end_) {
    blocks_ = {};
    return false;
  }
  const std::string_view lines = next_window(at_);
  read_blocks(lines);
  for (std::size_t i = 0; i < block_lines_.size(); ++i) {
    RowReader& block = blocks_[i];
    note_faults(block);
    take_words(block);
    rows_ += block.rows();
    if (block.broken()) {
      std::vector<Field> fields;
      cut_row(format_, *block.broken(), format_.first_line() + rows_, fields);
    }
    values.insert(values.end(), block.values().begin(), block.values().end());
  }
  at_ += lines.size();
  return true;
}

/// Notes the faults of a block that starts at row `rows_`.
void CsvReader::note_faults(const RowReader& block) {
  note(block.faults(), faults_);
  note(block.missing(), missing_);
  if (!format_.kinds.empty()) check_zones(block);
}

void CsvReader::note(const std::vector<CellFault>& found, ColumnFaults& faults) const {
  for (const CellFault& fault : found) {
    faults.resize(format_.cols);
    if (faults[fault.col]) continue;
    const std::size_t row = rows_ + fault.row;
    faults[fault.col] = {
        .row = row, .sentence = sentence_of(format_, fault, row), .is_word = fault.kind == CellKind::text};
  }
}

/// Blocks do not know of each other whether their times have zones.
void CsvReader::check_zones(const RowReader& block) {
  for (std::size_t col = 0; col < format_.cols; ++col) {
    if (block.zone(col) < 0) continue;
    if (zones_[col] < 0) zones_[col] = block.zone(col);
    if (zones_[col] == block.zone(col)) continue;
    faults_.resize(format_.cols);
    if (faults_[col]) continue;
    faults_[col] = {.row = rows_,
                    .sentence = fmt::format(
                        "{}: times from here on {} a zone, those above {}, expected all or none",
                        field_place(format_.source, format_.names, format_.first_line() + rows_, col),
                        block.zone(col) == 1 ? "have" : "have not", block.zone(col) == 1 ? "have not" : "have")};
  }
}

/// The codes of a block's new words become those of the column.
void CsvReader::take_words(RowReader& block) {
  for (std::size_t col = 0; col < block.words().size(); ++col) {
    const BlockWords& found = block.words()[col];
    if (found.new_words().empty()) continue;
    std::vector<double> codes;
    for (const std::string_view word : found.new_words()) {
      check_word(word, col);
      codes.push_back(words_[col].code_of(word));
    }
    for (std::size_t at = col; at < block.values().size(); at += format_.cols) {
      double& value = block.values()[at];
      if (value >= found.first_new()) value = codes[static_cast<std::size_t>(value) - found.first_new()];
    }
  }
}

void CsvReader::check_word(std::string_view word, std::size_t col) const {
  if (base::is_utf8(word) && !has_control_character(word)) return;
  base::fail(ErrorCode::data, "{}: {} in the lines from {} on is not one line of UTF-8",
             field_place(format_.source, format_.names, format_.first_line() + rows_, col), base::quoted(word),
             format_.first_line() + rows_);
}

std::size_t CsvReader::count_rows() {
  std::size_t count = 1;  // the last line has no end
  for (std::size_t first = first_; first < end_; first += window_size) {
    const std::string_view text = bytes_->window(first, std::min(window_size, end_ - first));
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) ++count;
  }
  // A value takes at least one character, its delimiter. Where that many rows cannot be there one is ragged, and
  // reading tells which; so a hostile file cannot make anyone allocate for rows that it does not have.
  if (count > (end_ - first_ + 1) / format_.cols) {
    rewind();
    for (std::vector<double> values; append(values);) values.clear();
  }
  return count;
}

std::size_t CsvReader::guess_rows() const {
  if (end_ == unknown_end) return 0;
  const double share = static_cast<double>(at_ - first_) / static_cast<double>(end_ - first_);
  return static_cast<std::size_t>(static_cast<double>(rows_) / std::max(share, 1e-9));
}

}  // namespace credens::data
