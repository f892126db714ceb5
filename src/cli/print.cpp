// SPDX-License-Identifier: Apache-2.0

#include "cli/print.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"

namespace credens::cli {

namespace {

bool is_silent = false;

}  // namespace

void be_silent() {
  is_silent = true;
}

void print(std::string_view text) {
  if (is_silent) return;
  base::OutputFile output("-");
  output.write(text);
  output.commit();
}

void print_json(const Json& document) {
  print(document.dump(2) + "\n");
}

void print_lines(const Lines& lines) {
  std::size_t width = 0;
  for (const auto& [name, value] : lines) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : lines) text += fmt::format("{:<{}}  {}\n", name, width, value);
  print(text);
}

void print_error(std::string_view line) {
  if (is_silent) return;
  const std::string text = std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace credens::cli
