// SPDX-License-Identifier: Apache-2.0

#include "base/options.hpp"

#include <algorithm>

namespace credens::base {

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
