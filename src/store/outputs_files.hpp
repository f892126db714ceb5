// SPDX-License-Identifier: Apache-2.0
//
// The names of files in an outputs folder.

#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace credens::store {

constexpr std::string_view outputs_json_name = "outputs.json";

/// "features.npy" for all members, "features.3.npy" for one.
inline std::string array_name(std::string_view array) {
  return fmt::format("{}.npy", array);
}
inline std::string array_name(std::string_view array, std::size_t member) {
  return fmt::format("{}.{}.npy", array, member);
}

}  // namespace credens::store
