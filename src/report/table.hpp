// SPDX-License-Identifier: Apache-2.0
//
// Tables of words and numbers, for a page and for the terminal.

#pragma once

#include <string>
#include <vector>

namespace credens::report {

/// The first column names the rows and is set flush left; the others hold values and are set flush right.
struct Table {
  std::string caption = {};
  std::vector<std::string> headings = {};
  std::vector<std::vector<std::string>> rows = {};  ///< each as long as `headings`
};

/// Aligned columns under a ruled heading, each line ended; the caption, if any, first.
std::string table_text(const Table& table);

std::string table_html(const Table& table);

}  // namespace credens::report
