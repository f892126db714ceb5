// SPDX-License-Identifier: Apache-2.0

#include "data/names.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"

namespace credens::data {

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

std::vector<std::string> column_labels(std::span<const std::string> names, std::span<const std::size_t> positions) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < std::max(names.size(), positions.size()); ++i) {
    const bool named = i < names.size() && !names[i].empty();
    labels.push_back(named ? "column " + base::quoted(names[i])
                           : fmt::format("column {} (counted from 0)", i < positions.size() ? positions[i] : i));
  }
  return labels;
}

std::string label_of(std::size_t col, std::span<const std::string> labels) {
  return labels.empty() ? fmt::format("column {} (counted from 0)", col) : labels[col];
}

std::vector<std::string> default_target_names(std::size_t count) {
  if (count == 1) return {"y"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("y{}", i));
  return names;
}

}  // namespace credens::data
