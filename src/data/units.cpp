// SPDX-License-Identifier: Apache-2.0

#include "data/units.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
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

using namespace std::string_view_literals;

// Symbols that come with prefixes, and those that come alone.
constexpr std::string_view unit_prefixes[] = {"k", "M", "G", "T", "h", "da", "d", "c",
                                              "m", "µ", "μ", "u", "n", "p",  "f"};
constexpr std::string_view unit_symbols[] = {"m",  "g",  "s",   "A",   "K",  "mol", "cd", "Hz",  "N",   "Pa", "J",
                                             "W",  "C",  "V",   "F",   "Ω",  "Ohm", "S",  "Wb",  "H",   "lm", "lx",
                                             "Bq", "Gy", "Sv",  "kat", "l",  "L",   "t",  "bar", "eV",  "Wh", "cal",
                                             "B",  "b",  "bit", "VA",  "Da", "rad", "sr", "ohm", "Torr"};
constexpr std::string_view unit_words[] = {
    "%",       "‰",      "°",      "°C",     "°F",      "℃",      "degC",   "degF",    "deg",    "degrees", "ppm",
    "ppb",     "ppt",    "min",    "h",      "hr",      "hrs",    "d",      "a",       "yr",     "yrs",     "sec",
    "second",  "minute", "hour",   "day",    "week",    "month",  "year",   "in",      "inch",   "inches",  "ft",
    "feet",    "foot",   "yd",     "mi",     "mile",    "lb",     "lbs",    "oz",      "gal",    "psi",     "ksi",
    "mmHg",    "atm",    "hp",     "rpm",    "kn",      "kph",    "mph",    "ha",      "acre",   "IU",      "U",
    "px",      "pixel",  "dB",     "dBA",    "pH",      "USD",    "EUR",    "GBP",     "CHF",    "JPY",     "$",
    "€",       "£",      "¥",      "metre",  "meter",   "litre",  "liter",  "gram",    "volt",   "watt",    "kelvin",
    "percent", "count",  "pieces", "person", "persons", "people", "Kelvin", "Celsius", "degree", "newton",  "pascal"};

bool is_among(std::string_view text, std::span<const std::string_view> known) {
  return std::ranges::find(known, text) != known.end();
}

bool is_symbol(std::string_view text) {
  const auto has_prefix = [&](std::string_view prefix) {
    return text.starts_with(prefix) && is_among(text.substr(prefix.size()), unit_symbols);
  };
  const std::string_view singular = text.ends_with('s') ? text.substr(0, text.size() - 1) : text;
  return is_among(text, unit_symbols) || is_among(text, unit_words) || is_among(singular, unit_words) ||
         std::ranges::any_of(unit_prefixes, has_prefix);
}

/// Powers, products and quotients become blanks.
std::string without_operators(std::string_view unit) {
  std::string text(unit);
  for (const std::string_view sign : {"²"sv, "³"sv, "¹"sv, "⁻"sv, "⁴"sv, "·"sv, "×"sv, "⋅"sv, "−"sv}) {
    for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at)) {
      text.replace(at, sign.size(), " ");
    }
  }
  std::ranges::replace_if(
      text, [](char c) { return "/*.^()-+_0123456789"sv.find(c) != std::string_view::npos; }, ' ');
  return text;
}

std::string_view without_brackets(std::string_view cell) {
  const bool has_brackets =
      cell.size() > 1 && ((cell.front() == '[' && cell.back() == ']') || (cell.front() == '(' && cell.back() == ')'));
  return base::trim(has_brackets ? cell.substr(1, cell.size() - 2) : cell);
}

/// The unit in the name and that of the line below it. Where they differ, the name keeps its own.
NameAndUnit joined(const std::string& label, const std::string& unit_below) {
  NameAndUnit parts = split_unit(label);
  if (unit_below.empty() || parts.unit == unit_below) return parts;
  return {label, unit_below};
}

}  // namespace

NameAndUnit split_unit(std::string_view label) {
  const std::string_view text = base::trim(label);
  const std::size_t open = opening_of(text);
  if (open == std::string_view::npos) return {std::string(label)};
  const std::string_view name = base::trim(text.substr(0, open));
  const std::string_view unit = base::trim(text.substr(open + 1, text.size() - open - 2));
  if (name.empty() || unit.empty() || base::parse_double(unit)) return {std::string(label)};
  return {std::string(name), std::string(unit)};
}

std::string unit_of_cell(std::string_view cell) {
  const std::string_view unit = without_brackets(cell);
  return unit == "-" || unit == "–" || unit == "—" ? "" : std::string(unit);
}

bool looks_like_unit(std::string_view cell) {
  if (cell.starts_with('[') && cell.ends_with(']')) return true;
  bool has_symbol = false;
  for (const std::string& part : base::split(without_operators(unit_of_cell(cell)), ' ')) {
    if (part.empty()) continue;
    if (!is_symbol(part)) return false;
    has_symbol = true;
  }
  return has_symbol;
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
