// SPDX-License-Identifier: Apache-2.0

#include "cli/print.hpp"

#include <cstdio>
#include <string>

#include "base/file.hpp"

namespace credens::cli {

void print(std::string_view text) {
  base::OutputFile output("-");
  output.write(text);
  output.commit();
}

void print_error(std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace credens::cli
