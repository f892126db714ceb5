// SPDX-License-Identifier: Apache-2.0

#include "report/escape.hpp"

#include <nlohmann/json.hpp>

namespace credens::report {
namespace {

constexpr int compact = -1;

std::string dump(const nlohmann::json& value) {
  return value.dump(compact, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// JSON's writer repairs what is not UTF-8, and its reader takes the quotes and escapes off again.
std::string valid_utf8(std::string_view text) {
  return nlohmann::json::parse(dump(text)).get<std::string>();
}

std::string_view entity(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char letter : valid_utf8(text)) {
    if (const std::string_view name = entity(letter); !name.empty()) {
      escaped += name;
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

std::string script_json(const nlohmann::json& value) {
  std::string escaped;
  for (const char letter : dump(value)) {
    // Only strings of a JSON document can hold this letter.
    if (letter == '<') {
      escaped += "\\u003c";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

}  // namespace credens::report
