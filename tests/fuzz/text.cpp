// SPDX-License-Identifier: Apache-2.0
//
// Text from strangers on its way to a terminal.

#include "base/text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

/// The bytes of UTF-8 text at `at`, as a number.
unsigned bytes_at(std::string_view text, std::size_t at, std::size_t count) {
  unsigned number = 0;
  for (std::size_t i = at; i < at + count && i < text.size(); ++i) {
    number = number << 8U | static_cast<unsigned char>(text[i]);
  }
  return number;
}

/// By its bytes: C0 and DEL, C1, the Arabic letter mark, and the marks from U+200E to U+2069 that turn directions or
/// end lines.
bool is_obeyed_at(std::string_view text, std::size_t at) {
  const unsigned one = bytes_at(text, at, 1);
  const unsigned two = bytes_at(text, at, 2);
  const unsigned three = bytes_at(text, at, 3);
  return one < 0x20 || one == 0x7f || (two >= 0xc280 && two <= 0xc29f) || two == 0xd89c || three == 0xe2808e ||
         three == 0xe2808f || (three >= 0xe280a8 && three <= 0xe280ae) || (three >= 0xe281a6 && three <= 0xe281a9);
}

void check_shown(std::string_view shown) {
  must(base::is_utf8(shown), "what is shown is UTF-8");
  for (std::size_t at = 0; at < shown.size(); ++at) must(!is_obeyed_at(shown, at), "nothing shown is obeyed");
}

void show(std::string_view text) {
  const std::string shown = base::printable(text);
  check_shown(shown);
  must(base::printable(shown) == shown, "what was escaped stays as it is");
  const std::string quoted = base::quoted(text);
  check_shown(quoted);
  must(quoted.size() >= 2 && quoted.front() == '"', "a piece of text is quoted");
}

/// Escapes do not change what a JSON text means. The parser takes a zero byte for the end of its input; JSON has none.
void show_json(std::string_view text) {
  constexpr std::string_view blanks = "\t\n\r";
  if (text.find('\0') != std::string_view::npos || !nlohmann::json::accept(text)) return;
  const auto value = nlohmann::json::parse(text);
  must(nlohmann::json::parse(base::printable(text, blanks)) == value, "JSON keeps its value");
}

void suggest(std::string_view text) {
  static const std::vector<std::string> names = {"members", "hidden", "epochs", "prior_precision"};
  const auto nearest = base::nearest(text.substr(0, 100), names);
  must(!nearest || std::ranges::find(names, *nearest) != names.end(), "one of the names is suggested");
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::show(text);
  fuzz::show_json(text);
  fuzz::suggest(text);
  return 0;
}
