// SPDX-License-Identifier: Apache-2.0
//
// Code that reads bytes does not know where they came from; who knows adds it to what went wrong.

#pragma once

#include <filesystem>
#include <functional>

namespace credens::store {

/// Runs `action` and puts the path in front of every sentence about content. Those of code io have it already.
void with_path(const std::filesystem::path& path, const std::function<void()>& action);

}  // namespace credens::store
