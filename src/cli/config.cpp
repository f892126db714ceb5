// SPDX-License-Identifier: Apache-2.0

#include "cli/config.hpp"

#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

#include "base/file.hpp"
#include "cli/columns.hpp"

namespace credens::cli {

namespace {

std::string place(const std::string& source, const toml::source_region& region) {
  return fmt::format("{}:{}", source, region.begin.line);
}

toml::table parse(const std::string& text, const std::string& source) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    base::fail(ErrorCode::usage, "{}:{}: not TOML: {}", source, error.source().begin.line, error.description());
  }
}

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return base::to_text(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return std::nullopt;
}

/// Text as a flag would give it. A list becomes its items with commas, and a list of lists joins those with `/`.
std::optional<std::string> node_text(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr) return scalar_text(node);
  std::vector<std::string> words;
  bool nested = false;
  for (const toml::node& item : *list) {
    nested = nested || item.is_array();
    const auto word = nested ? node_text(item) : scalar_text(item);
    if (!word) return std::nullopt;
    words.push_back(nested ? *word : csv_cell(*word));
  }
  return base::join(words, nested ? "/" : ",");
}

const base::Option<FitSettings>& find_setting(const std::string& key, const std::string& where) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string> names;
  for (const Setting& setting : fit_settings()) {
    if (setting.option.name == name) return setting.option;
    names.push_back(setting.option.name);
  }
  base::fail(ErrorCode::usage, "{}: unknown key {}{}", where, base::quoted(key), base::suggestion(name, names));
}

std::string toml_text(const base::OptionValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return base::to_text(value);
  std::ostringstream out;
  out << toml::value<std::string>(*text);
  return out.str();
}

}  // namespace

void read_config(const std::filesystem::path& path, FitSettings& settings) {
  const std::string source = path == "-" ? "standard input" : path.string();
  const toml::table table = parse(base::read_file(path), source);
  for (const auto& [key, node] : table) {
    const std::string where = place(source, node.source());
    const auto& option = find_setting(std::string(key.str()), where);
    const auto text = node_text(node);
    try {
      base::require(text.has_value(), ErrorCode::usage, "no text");
      option.set(settings, *text);
    } catch (const Error&) {
      base::fail(ErrorCode::usage, "{}: {} is {}, expected {}", where, option.name,
                 text ? base::quoted(*text) : "neither a value nor a list", option.expects);
    }
  }
}

std::string config_text(const FitSettings& settings) {
  std::string text;
  for (const Setting& setting : fit_settings()) {
    const base::OptionValue value = setting.option.get(settings);
    const auto* words = std::get_if<std::string>(&value);
    if (words == nullptr || !words->empty()) text += fmt::format("{} = {}\n", setting.option.name, toml_text(value));
  }
  return text;
}

}  // namespace credens::cli
