// SPDX-License-Identifier: Apache-2.0

#include "data/csv_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/csv_names.hpp"
#include "data/date.hpp"
#include "data/encoding.hpp"
#include "data/table.hpp"

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

/// Throws data for a line that may go on, where it holds a zero byte or more than any line may.
void check_unfinished(std::string_view line, const std::string& source) {
  base::require(line.find('\0') == std::string_view::npos, ErrorCode::data,
                "{}: binary data (a zero byte), expected a table as text", source);
  base::require(line.size() <= longest_line, ErrorCode::data, "{}: a line of more than 64 MiB, expected shorter lines",
                source);
}

/// Whole lines from the start of the file, enough to recognise how it is written. It ends early with a zero byte, which
/// is no text.
std::string_view start_of(ByteSource& bytes, std::size_t enough_lines) {
  std::size_t most = std::size_t{64} << 10;
  for (std::size_t least = 1;;) {
    const std::string_view text = bytes.arrived(0, least, most);
    if (text.size() < most && bytes.ended()) return text;
    if (std::count(text.begin(), text.end(), '\n') >= static_cast<std::ptrdiff_t>(enough_lines)) {
      return text.substr(0, text.rfind('\n') + 1);
    }
    if (text.find('\0') != std::string_view::npos) return text;
    check_unfinished(text.substr(text.rfind('\n') + 1), bytes.name());
    if (text.size() == most) most *= 2;
    least = text.size() + 1;
  }
}

void check_first_line(std::string_view text, const std::string& source) {
  const std::string_view line = take_line(text);
  base::require(!is_blank_line(line, ' '), ErrorCode::data, "{}:1: blank line, expected names or numbers", source);
  const bool binary = std::any_of(line.begin(), line.end(), [](char c) {
    return c != '\t' && c != '\r' && has_control_character({&c, 1});
  });
  base::require(!binary, ErrorCode::data, "{}:1: binary data (a control character), expected a table as text", source);
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
  std::string_view text_of_row = text;
  cut_line(format_, take_line(rest), 1, fields);
  format_.cols = fields.size();
  if (!format_.dialect.header) {
    header_.first_text = take_line(text_of_row);
    return;
  }
  std::string latin1;
  format_.names = read_name_line(fields, format_, name_encoding_, latin1);
  if (format_.dialect.unit_line) header_.units = read_unit_line(take_line(rest), format_, name_encoding_, latin1);
  take_units(format_, header_.units);
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
  base::require(!format_.dialect.header_doubtful, ErrorCode::data,
                "{}:1: words among numbers, and numbers alone below: names, or a row with a slip? Expected --header "
                "yes|no",
                source);
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
  encoding_ = name_encoding_;
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
  format_.zones.clear();
  is_copied_.clear();
  if (are_numbers && format_.missing.empty()) return;
  for (std::size_t col = 0; col < format_.cols; ++col) {
    format_.kinds.push_back(columns[col].kind);
    format_.zones.push_back(columns[col].has_zone);
    is_copied_.push_back(columns[col].is_copied);
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
    check_unfinished(text, format_.source);
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
    check_unfinished(text, format_.source);
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
    const bool is_word = fault.kind == CellKind::text;
    faults[fault.col] = {.row = row,
                         .sentence = sentence_of(format_, fault, row),
                         .is_word = is_word,
                         .is_date = is_word && read_date(fault.text)};
  }
}

std::optional<bool> CsvReader::has_zone(std::size_t col) const {
  return zones_[col] < 0 ? std::nullopt : std::optional(zones_[col] == 1);
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

/// A new word of a block that starts at row `rows_`, as UTF-8; `room` holds it where it was Latin-1.
std::string_view CsvReader::usable_word(const RowReader& block, std::size_t col, std::size_t place, std::string& room) {
  const BlockWords& found = block.words()[col];
  const auto cell = [&] {
    const std::size_t row = block.row_of(col, static_cast<double>(found.first_new() + place));
    return field_place(format_.source, format_.names, format_.first_line() + rows_ + row, col);
  };
  const std::string_view word = found.new_words()[place];
  if (has_control_character(word)) {
    base::fail(ErrorCode::data, "{}: the word {} holds a control character", cell(), base::quoted(word));
  }
  if (word.size() > longest_field) base::fail(ErrorCode::data, "{}: {}", cell(), too_long);
  const bool is_first = !encoding_.is_latin1() && !has_warned_;
  const std::string_view usable = encoding_.utf8_of(word, room, cell);
  if (is_first && encoding_.is_latin1()) {
    has_warned_ = true;
    header_.warnings.push_back(
        fmt::format("{}: words are not UTF-8, taken for Latin-1: {}", format_.source, base::quoted(usable)));
  }
  return usable;
}

/// The codes of a block's new words become those of the column.
void CsvReader::take_words(RowReader& block) {
  std::string room;
  for (std::size_t col = 0; col < block.words().size(); ++col) {
    const BlockWords& found = block.words()[col];
    if (found.new_words().empty()) continue;
    std::vector<double> codes;
    for (std::size_t place = 0; place < found.new_words().size(); ++place) {
      codes.push_back(words_[col].code_of(usable_word(block, col, place, room)));
    }
    for (std::size_t at = col; at < block.values().size(); at += format_.cols) {
      double& value = block.values()[at];
      if (value >= found.first_new()) value = codes[static_cast<std::size_t>(value) - found.first_new()];
    }
  }
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
