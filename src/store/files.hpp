// SPDX-License-Identifier: Apache-2.0
//
// Paths in errors of code that reads or writes bytes without knowing their file, and the names of files in an outputs
// folder.

#pragma once

#include <credens/error.hpp>

#include <filesystem>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace credens::store {

/// The result of `action`, with the path in front of every error about content. Errors of code io name it already.
template <class Action>
auto with_path(const std::filesystem::path& path, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) throw;
    throw Error(error.code(), (path == "-" ? "standard input" : path.string()) + ": " + error.what());
  }
}

constexpr std::string_view outputs_json_name = "outputs.json";

/// "features.npy" for all members, "features.3.npy" for one.
inline std::string array_name(std::string_view array) {
  return fmt::format("{}.npy", array);
}
inline std::string array_name(std::string_view array, std::size_t member) {
  return fmt::format("{}.{}.npy", array, member);
}

}  // namespace credens::store
