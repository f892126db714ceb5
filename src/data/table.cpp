// SPDX-License-Identifier: Apache-2.0

#include "data/table.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/check.hpp"
#include "base/content_hash.hpp"
#include "base/text.hpp"
#include "data/csv_reader.hpp"
#include "data/file_kind.hpp"
#include "data/npy_reader.hpp"
#include "data/units.hpp"

namespace credens::data {

namespace {

/// `data.npy`, `data.npy.gz`, ....
bool is_named_npy(std::filesystem::path path) {
  const auto extension = path.extension();
  if (extension == ".gz" || extension == ".xz" || extension == ".zst") path.replace_extension();
  return path.extension() == ".npy";
}

bool is_array(const std::filesystem::path& path, ByteSource& bytes, FileKind kind) {
  constexpr std::size_t magic_size = 6;
  if (kind != FileKind::any) return kind == FileKind::npy;
  return is_named_npy(path) || is_npy(bytes.window(0, magic_size));
}

/// More than a few bytes are waited for only where these are no text.
void check_not_foreign(ByteSource& bytes) {
  constexpr std::size_t few = 8;
  if (!foreign_kind(bytes.arrived(0, 4, few))) return;
  throw Error(ErrorCode::data, foreign_sentence(bytes.name(), *foreign_kind(bytes.window(0, foreign_magic_size))));
}

}  // namespace

std::string place_of(const Table& table, std::size_t row, std::size_t col) {
  row += table.first_row;
  if (table.first_line == 0) return fmt::format("{}: row {}, column {} (counted from 0)", table.source, row, col);
  return field_place(table.source, table.names, table.first_line + row, col);
}

const ColumnFault* first_fault(const ColumnFaults& faults, std::span<const std::size_t> columns) {
  const ColumnFault* first = nullptr;
  for (const std::size_t column : columns) {
    if (column >= faults.size() || !faults[column]) continue;
    if (!first || faults[column]->row < first->row) first = &*faults[column];
  }
  return first;
}

void check_usable(const Table& table, std::span<const std::size_t> columns) {
  const ColumnFault* const fault = first_fault(table.faults, columns);
  const ColumnFault* const missing = first_fault(table.missing, columns);
  if (fault == nullptr && missing == nullptr) return;
  const bool is_missing = fault == nullptr || (missing != nullptr && missing->row < fault->row);
  throw Error(ErrorCode::data, is_missing ? missing->sentence : fault->sentence);
}

namespace {

std::string quoted_start(const std::string& text) {
  constexpr std::size_t most = 60;
  std::size_t size = std::min(text.size(), most);
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80U) --size;  // whole characters
  return base::quoted(text.substr(0, size)) + (size < text.size() ? "..." : "");
}

}  // namespace

std::size_t find_column(const Table& table, std::string_view column) {
  if (const auto named = find_name(table, column)) return *named;
  if (const auto index = base::parse_integer(column)) {
    const auto cols = static_cast<long long>(table.cols());
    base::require(*index >= -cols && *index < cols, ErrorCode::data, "{}: no column {}: the table has {}", table.source,
                  *index, count_of(table.cols(), "column"));
    return static_cast<std::size_t>(*index < 0 ? *index + cols : *index);
  }
  const std::string absent = fmt::format("{}: no column {}", table.source, base::quoted(column));
  base::require(!table.names.empty(), ErrorCode::data, "{}: the table has no header, expected an index{}", absent,
                table.first_text.empty() ? "" : "; its first line is " + quoted_start(table.first_text));
  base::require(table.cols() > 1, ErrorCode::data, "{}: the first line names one column, {}", absent,
                quoted_start(table.names.front()));
  base::fail(ErrorCode::data, "{}{}", absent, base::suggestion(column, table.names));
}

std::string unit_of(const Table& table, std::size_t col) {
  return col < table.units.size() ? table.units[col] : std::string();
}

std::vector<std::string> labels_with_units(const Table& table) {
  std::vector<std::string> labels;
  for (std::size_t col = 0; col < table.names.size(); ++col) {
    labels.push_back(label_with_unit(table.names[col], unit_of(table, col)));
  }
  return labels;
}

namespace {

/// The only column of this name if blanks around names do not count. Text files have names without; frames may have.
std::optional<std::size_t> find_but_for_blanks(const Table& table, std::string_view name) {
  std::optional<std::size_t> found;
  for (std::size_t col = 0; col < table.names.size(); ++col) {
    if (base::trim(table.names[col]) != base::trim(name)) continue;
    if (found) return std::nullopt;
    found = col;
  }
  return found;
}

}  // namespace

std::optional<std::size_t> find_name(const Table& table, std::string_view name, std::string_view unit) {
  const NameAndUnit wanted = unit.empty() ? split_unit(name) : NameAndUnit{std::string(name), std::string(unit)};
  const auto by_unit = [&]() -> std::optional<std::size_t> {
    for (std::size_t col = 0; col < table.names.size() && !wanted.unit.empty(); ++col) {
      const std::string own = unit_of(table, col);
      const NameAndUnit found = own.empty() ? split_unit(table.names[col]) : NameAndUnit{table.names[col], own};
      if (found == wanted) return col;
    }
    return std::nullopt;
  };
  if (!unit.empty()) {
    if (const auto found = by_unit()) return found;
  }
  const auto named = std::ranges::find(table.names, name);
  if (named != table.names.end()) return static_cast<std::size_t>(named - table.names.begin());
  if (const auto found = by_unit()) return found;
  return find_but_for_blanks(table, name);
}

Matrix select_columns(const Table& table, std::span<const std::string> columns) {
  std::vector<std::size_t> positions;
  for (const std::string& column : columns) positions.push_back(find_column(table, column));
  return take_columns(table, positions);
}

Matrix take_columns(const Table& table, std::span<const std::size_t> positions) {
  check_usable(table, positions);
  Matrix taken;
  take_columns(table, positions, taken);
  return taken;
}

void take_columns(const Table& table, std::span<const std::size_t> positions, Matrix& taken) {
  taken.resize(table.rows(), positions.size());
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t end = i + 1;  // of columns that follow one another in the table too
    while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      std::ranges::copy(table.values.row(row).subspan(positions[i], end - i), taken.row(row).subspan(i).begin());
    }
    i = end;
  }
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

std::optional<std::pair<std::size_t, std::size_t>> first_duplicate(std::span<const std::string> names) {
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [earlier, is_new] = seen.emplace(names[i], i);
    if (!is_new) return std::pair(earlier->second, i);
  }
  return std::nullopt;
}

std::string field_place(const std::string& source, std::span<const std::string> names, std::size_t line,
                        std::size_t field) {
  const bool named = field < names.size() && !names[field].empty();
  return fmt::format("{}:{}:{}{}", source, line, field + 1, named ? fmt::format(" ({})", names[field]) : "");
}

std::string count_of(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string label_of(std::size_t col, std::span<const std::string> labels) {
  return labels.empty() ? fmt::format("column {} (counted from 0)", col) : labels[col];
}

double word_number(std::string_view text) {
  return -1 - static_cast<double>(base::hash_of(text) >> 12);
}

std::vector<std::string> default_target_names(std::size_t count) {
  if (count == 1) return {"y"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("y{}", i));
  return names;
}

std::unique_ptr<RowPortions> open_table(const std::filesystem::path& path, const TableFormat& format, FileKind kind,
                                        Passes passes) {
  auto bytes = std::make_unique<ByteSource>(path, passes);
  if (is_array(path, *bytes, kind)) return std::make_unique<NpyReader>(std::move(bytes), format);
  check_not_foreign(*bytes);
  return std::make_unique<CsvReader>(std::move(bytes), format);
}

}  // namespace credens::data
