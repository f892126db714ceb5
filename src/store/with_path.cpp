// SPDX-License-Identifier: Apache-2.0

#include "store/with_path.hpp"

#include <credens/error.hpp>

#include <fmt/format.h>

namespace credens::store {

void with_path(const std::filesystem::path& path, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io) throw;
    throw Error(error.code(), fmt::format("{}: {}", path == "-" ? "standard input" : path.string(), error.what()));
  }
}

}  // namespace credens::store
