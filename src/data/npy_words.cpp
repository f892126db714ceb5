// SPDX-License-Identifier: Apache-2.0

#include "data/npy_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "data/kinds.hpp"
#include "data/npy.hpp"
#include "data/words.hpp"

namespace credens::data {

namespace {

/// An array of bytes, each word ended by a zero byte.
std::string npy_words(const std::vector<std::string>& words) {
  std::string bytes;
  for (const std::string& word : words) bytes.append(word.c_str(), word.size() + 1);
  return npy_header({bytes.size()}, "|u1") + bytes;
}

void check_words(const std::vector<std::string>& words, const std::string& source) {
  for (const std::string& word : words) {
    base::require(base::is_utf8(word), ErrorCode::data, "{}: the word {} behind the values is not UTF-8", source,
                  base::quoted(word));
  }
  if (const auto twins = first_duplicate(words)) {
    base::fail(ErrorCode::data, "{}: the word {} stands twice behind the values, expected different words", source,
               base::quoted(words[twins->first]));
  }
}

/// Takes the array from the front of `bytes`.
std::vector<std::string> take_words(std::string_view& bytes, const std::string& source) {
  const NpyLayout layout = read_npy_layout(bytes, bytes.size(), source, NpyRest::another_array);
  std::string_view rest = bytes.substr(layout.values_at, layout.end() - layout.values_at);
  base::require(layout.descr == "|u1" && layout.shape.size() == 1 && (rest.empty() || rest.back() == '\0'),
                ErrorCode::data, "{}: an array behind the values holds no words", source);
  bytes.remove_prefix(layout.end());
  std::vector<std::string> words;
  while (!rest.empty()) {
    words.emplace_back(rest.substr(0, rest.find('\0')));
    rest.remove_prefix(words.back().size() + 1);
  }
  check_words(words, source);
  return words;
}

constexpr std::string_view zoned_date = "date with zone";

}  // namespace

std::string npy_columns(const NpyColumns& columns) {
  const bool has_kinds = std::ranges::any_of(columns.kinds, [](ColumnKind kind) { return kind != ColumnKind::number; });
  if (!has_kinds) return columns.names.empty() ? std::string() : npy_texts(columns.names);
  std::vector<std::string> kinds;
  for (std::size_t col = 0; col < columns.kinds.size(); ++col) {
    const bool is_zoned = !columns.zones.empty() && columns.zones[col];
    kinds.emplace_back(is_zoned ? zoned_date : base::name_of(columns.kinds[col]));
  }
  const std::vector<std::string> no_names(kinds.size());
  std::string bytes = npy_texts(columns.names.empty() ? no_names : columns.names) + npy_texts(kinds);
  for (std::size_t col = 0; col < columns.kinds.size(); ++col) {
    if (columns.kinds[col] == ColumnKind::category) bytes += npy_words(columns.levels[col]);
  }
  return bytes;
}

NpyColumns parse_npy_columns(std::string_view bytes, std::size_t cols, const std::string& source) {
  NpyColumns columns;
  if (bytes.empty()) return columns;
  columns.names = take_npy_texts(bytes, cols, "name", source);
  const bool has_kinds = !bytes.empty();
  if (has_kinds && std::ranges::all_of(columns.names, &std::string::empty)) columns.names.clear();
  check_column_names(columns.names, source);
  if (!has_kinds) return columns;
  for (const std::string& kind : take_npy_texts(bytes, cols, "kind", source)) {
    columns.zones.push_back(kind == zoned_date);
    try {
      columns.kinds.push_back(kind == zoned_date ? ColumnKind::date : base::parse_enum<ColumnKind>(kind));
    } catch (const Error& error) {
      base::fail(ErrorCode::data, "{}: {}", source, error.what());
    }
  }
  columns.levels.resize(cols);
  for (std::size_t col = 0; col < cols; ++col) {
    if (columns.kinds[col] == ColumnKind::category) columns.levels[col] = take_words(bytes, source);
  }
  base::require(bytes.empty(), ErrorCode::data, "{}: {} bytes behind the last array that belong to none", source,
                bytes.size());
  return columns;
}

NpyCodes::NpyCodes(const NpyColumns& file, std::vector<ColumnReading> columns) {
  levels_.resize(columns.size());
  codes_.resize(columns.size());
  for (std::size_t col = 0; col < columns.size(); ++col) {
    kinds_.push_back(columns[col].kind);
    if (columns[col].kind != ColumnKind::category || file.kinds.empty()) continue;
    WordIndex words(std::move(columns[col].levels), columns[col].takes_new_levels);
    for (const std::string& word : file.levels[col]) codes_[col].push_back(words.code_of(word));
    levels_[col] = words.words();
    is_identity_ = false;
  }
}

const std::vector<std::string>& NpyCodes::levels(std::size_t col) const {
  static const std::vector<std::string> none;
  return levels_.empty() ? none : levels_[col];
}

void NpyCodes::translate(std::span<double> rows) const {
  if (is_identity_) return;
  const std::size_t cols = codes_.size();
  for (std::size_t col = 0; col < cols; ++col) {
    if (kinds_[col] != ColumnKind::category) continue;
    const std::vector<double>& codes = codes_[col];
    for (std::size_t i = col; i < rows.size(); i += cols) {
      const bool is_code = rows[i] >= 0 && rows[i] < static_cast<double>(codes.size());
      rows[i] = is_code ? codes[static_cast<std::size_t>(rows[i])] : std::numeric_limits<double>::quiet_NaN();
    }
  }
}

}  // namespace credens::data
