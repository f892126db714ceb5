// SPDX-License-Identifier: Apache-2.0

#include "base/options.hpp"

#include <algorithm>

namespace credens::base {

namespace {

/// Takes a quoted item, with "" for a quote in it, off the front of `rest`.
std::string take_quoted(std::string_view& rest) {
  std::string item;
  for (std::size_t at = 1; at < rest.size(); ++at) {
    if (rest[at] != '"') {
      item += rest[at];
    } else if (rest.substr(at).starts_with("\"\"")) {
      item += rest[at++];
    } else {
      rest.remove_prefix(at + 1);
      return item;
    }
  }
  fail(ErrorCode::usage, "{} has a quote without its end", quoted(rest));
}

std::string take_plain(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(','), rest.size());
  std::string item(trim(rest.substr(0, end)));
  rest.remove_prefix(end);
  return item;
}

}  // namespace

std::string to_text(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) return to_text(*number);
  return std::get<std::string>(value);
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void explain(std::string_view name, std::string_view text, std::string_view expects,
             const std::function<void()>& parse) {
  try {
    parse();
  } catch (const Error&) {
    fail(ErrorCode::usage, "{} is {}, expected {}", name, quoted(text), expects);
  }
}

std::string list_item(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && text == trim(text)) return text;
  std::string item = "\"";
  for (const char c : text) item += c == '"' ? std::string("\"\"") : std::string(1, c);
  return item + "\"";
}

std::vector<std::string> FieldText<std::vector<std::string>>::parse(std::string_view text) {
  std::vector<std::string> items;
  if (text.empty()) return items;
  for (std::string_view rest = text;;) {
    items.push_back(rest.starts_with('"') ? take_quoted(rest) : take_plain(rest));
    require(!items.back().empty(), ErrorCode::usage, "{} has an empty item", quoted(text));
    if (rest.empty()) return items;
    require(rest.front() == ',', ErrorCode::usage, "{} has letters after a quoted item", quoted(text));
    rest.remove_prefix(1);
  }
}

OptionValue FieldText<std::vector<std::string>>::value(const std::vector<std::string>& field) {
  std::vector<std::string> items(field.size());
  std::transform(field.begin(), field.end(), items.begin(), list_item);
  return join(items, ",");
}

bool FieldText<bool>::parse(std::string_view text) {
  require(text == "true" || text == "false", ErrorCode::usage, "{} is neither true nor false", quoted(text));
  return text == "true";
}

double FieldText<double>::parse(std::string_view text) {
  const auto value = parse_double(text);
  require(value.has_value(), ErrorCode::usage, "{} is not a number", quoted(text));
  return *value;
}

}  // namespace credens::base
