// SPDX-License-Identifier: Apache-2.0
//
// Tables from files of a given kind, whatever their name.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>

#include "data/byte_source.hpp"
#include "data/row_portions.hpp"
#include "data/table.hpp"

namespace credens::data {

enum class FileKind { any, text, npy };  ///< any: recognised by extension and content

/// A file, unpacked and ready to be read.
std::unique_ptr<RowPortions> open_table(const std::filesystem::path& path, const TableFormat& format,
                                        FileKind kind = FileKind::any, Passes passes = Passes::many);

}  // namespace credens::data
