// SPDX-License-Identifier: Apache-2.0
//
// Errors of code that reads or writes bytes without knowing the file they belong to.

#pragma once

#include <credens/error.hpp>

#include <filesystem>
#include <string>

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

}  // namespace credens::store
