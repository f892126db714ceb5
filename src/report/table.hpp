// SPDX-License-Identifier: Apache-2.0
//
// Results as text for people, numbers and tables, and as JSON for programs.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace credens::report {

/// Keys keep their order. Numbers round-trip; what is not finite becomes null.
using Json = nlohmann::ordered_json;

/// Names and values, one pair per line.
using Lines = std::vector<std::pair<std::string, std::string>>;

// Values that are not finite become a dash.
std::string percent(double fraction);                   ///< 0.9849 -> "98.5 %"
std::string fixed(double value, int decimals);          ///< 12.3456 -> "12.3" with 1; never "-0.0"
std::string significant(double value, int digits = 3);  ///< 12.3456 -> "12.3", 0.000123456 -> "0.000123"

/// The first column names the rows and is set flush left; the others hold values and are set flush right.
struct Table {
  std::string caption = {};
  std::vector<std::string> headings = {};
  std::vector<std::vector<std::string>> rows = {};  ///< each as long as `headings`
  bool is_folded = false;                           ///< pages show its caption alone until somebody opens it
};

void check(const Table& table);  ///< throws failure unless each row is as long as the headings

/// Aligned columns under a ruled heading, each line ended; the caption, if any, first.
std::string table_text(const Table& table);

}  // namespace credens::report
