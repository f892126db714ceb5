// SPDX-License-Identifier: Apache-2.0

#include "store/difference.hpp"

#include <algorithm>

namespace credens::store {

namespace {

const base::OptionValue* find(const base::OptionValues& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.first == name; });
  return found == options.end() ? nullptr : &found->second;
}

std::string text_of(const base::OptionValue* value) {
  return value == nullptr ? "not set" : base::to_text(*value);
}

}  // namespace

std::optional<std::string> option_difference(const base::OptionValues& options, const base::OptionValues& other,
                                             std::string_view other_is) {
  base::OptionValues all = options;
  all.insert(all.end(), other.begin(), other.end());
  for (const auto& [name, ignored] : all) {
    const base::OptionValue* mine = find(options, name);
    const base::OptionValue* theirs = find(other, name);
    if (mine != nullptr && theirs != nullptr && *mine == *theirs) continue;
    return fmt::format("{} = {}, {} {}", name, text_of(mine), other_is, text_of(theirs));
  }
  return std::nullopt;
}

std::optional<std::string> data_difference(const model::DataSummary& data, const model::DataSummary& other,
                                           std::string_view other_is) {
  if (data == other) return std::nullopt;
  if (data.rows != other.rows) return fmt::format("other data: {} rows, {} {}", data.rows, other_is, other.rows);
  return fmt::format("other data: fingerprint {}, {} {}", data.fingerprint, other_is, other.fingerprint);
}

}  // namespace credens::store
