// SPDX-License-Identifier: Apache-2.0
//
// Rows with roles at any place of an .npy file.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "data/row_source.hpp"
#include "data/schema.hpp"

namespace credens::data {

/// Tells a file from another that took its name.
std::uint64_t file_number(const std::filesystem::path& path);

/// Null where `path` is no plain .npy file. `table` and `number` are of the file that was opened first; throws data
/// where it is another now.
std::unique_ptr<RowRanges> open_npy_rows(const std::filesystem::path& path, const Schema& schema, const Table& table,
                                         std::uint64_t number);

}  // namespace credens::data
