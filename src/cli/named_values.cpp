// SPDX-License-Identifier: Apache-2.0

#include "cli/named_values.hpp"

#include <algorithm>

namespace credens::cli {

std::vector<NamedValue> parse_named_values(std::string_view text) {
  std::vector<NamedValue> values;
  for (const std::string& item : base::FieldText<std::vector<std::string>>::parse(text)) {
    const std::size_t equals = item.rfind('=');
    if (equals == std::string::npos) {
      values.push_back({.name = {}, .value = item});
      continue;
    }
    const std::string_view whole = item;
    values.push_back({.name = std::string(base::trim(whole.substr(0, equals))),
                      .value = std::string(base::trim(whole.substr(equals + 1)))});
    base::require(!values.back().name.empty() && !values.back().value.empty(), ErrorCode::usage,
                  "{} has nothing on one side of its equals sign", base::quoted(item));
  }
  return values;
}

Argument& named_values_option(Arguments& arguments, const std::string& flag, const std::string& value,
                              std::vector<NamedValue>& into, const std::string& help, const std::string& expects,
                              bool (*holds)(const NamedValue&)) {
  return arguments.add({.names = flag,
                        .value = value,
                        .help = help,
                        .set = [&into, flag, expects, holds](const std::string& text) {
                          base::explain(flag, text, expects, [&] {
                            into = parse_named_values(text);
                            base::require(!into.empty() && std::ranges::all_of(into, holds), ErrorCode::usage,
                                          "out of range");
                          });
                        }});
}

}  // namespace credens::cli
