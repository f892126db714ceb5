// SPDX-License-Identifier: Apache-2.0

#include "data/units.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"

namespace credens::data {

namespace {

/// The place of the bracket that closes at the end of `label`; npos: no single pair of brackets ends there.
std::size_t opening_of(std::string_view label) {
  if (label.size() < 2 || (label.back() != ']' && label.back() != ')')) return std::string_view::npos;
  const bool is_round = label.back() == ')';
  const std::string_view inside = label.substr(0, label.size() - 1);
  const std::size_t open = inside.find_last_of(is_round ? "()" : "[]");
  if (open == std::string_view::npos || open == 0 || inside[open] != (is_round ? '(' : '[')) {
    return std::string_view::npos;
  }
  const char before = inside[open - 1];
  const bool is_apart = !is_round || before == ' ' || before == ')' || before == ']';
  return is_apart ? open : std::string_view::npos;
}

/// The unit in the name and that of the line below it. Where they differ, the name keeps its own.
NameAndUnit joined(const std::string& label, const std::string& unit_below) {
  NameAndUnit parts = split_unit(label);
  if (unit_below.empty() || parts.unit == unit_below) return parts;
  return {label, unit_below};
}

}  // namespace

NameAndUnit split_unit(std::string_view label) {
  const std::size_t open = opening_of(label);
  if (open == std::string_view::npos) return {std::string(label)};
  const std::string_view name = base::trim(label.substr(0, open));
  const std::string_view unit = base::trim(label.substr(open + 1, label.size() - open - 2));
  if (name.empty() || unit.empty() || base::parse_double(unit)) return {std::string(label)};
  return {std::string(name), std::string(unit)};
}

std::string label_with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

void separate_units(std::vector<std::string>& names, std::vector<std::string>& units) {
  units.resize(names.size());
  std::vector<NameAndUnit> parts;
  std::unordered_map<std::string, std::size_t> columns_named;
  for (std::size_t col = 0; col < names.size(); ++col) {
    parts.push_back(joined(names[col], units[col]));
    ++columns_named[parts.back().name];
  }
  for (std::size_t col = 0; col < names.size(); ++col) {
    const auto& [name, unit] = parts[col];
    if (columns_named[name] == 1) {
      units[col] = unit;
      names[col] = name;
    } else {
      units[col].clear();
      if (name == names[col]) names[col] = label_with_unit(name, unit);
    }
  }
  if (std::ranges::all_of(units, &std::string::empty)) units.clear();
}

}  // namespace credens::data
