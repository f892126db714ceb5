// SPDX-License-Identifier: Apache-2.0
//
// Values that belong to columns: `--upper-limit strength=40,flow=3`.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"

namespace credens::cli {

struct NamedValue {
  std::string name;  ///< empty: a value alone
  std::string value;
};

/// Comma-separated; an item with a comma stands in quotes. The value is what follows the last equals sign.
std::vector<NamedValue> parse_named_values(std::string_view text);

/// An option that takes them. `expects` says in words what; `holds` looks at each.
Argument& named_values_option(Arguments& arguments, const std::string& flag, const std::string& value,
                              std::vector<NamedValue>& into, const std::string& help, const std::string& expects,
                              bool (*holds)(const NamedValue&));

}  // namespace credens::cli
