// SPDX-License-Identifier: Apache-2.0
//
// Mistakes with files that are better found before the work than after it.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace credens::cli {

/// Throws io unless a file can be made there; leaves nothing behind.
void check_writable(const std::filesystem::path& path);

/// Throws usage where `output` is one of the files that are read.
void check_not_input(const std::string& output, const std::vector<std::string>& inputs);

/// Throws failure where `values` doubles are more than the machine's memory holds.
void check_memory(double values, std::string_view what);

}  // namespace credens::cli
