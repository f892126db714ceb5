// SPDX-License-Identifier: Apache-2.0
//
// Tables from files of a given kind, whatever their name.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>

#include "data/table.hpp"

namespace credens::data {

Table read_text_table(const std::filesystem::path& path, const TableFormat& format);

/// An array [N] or [N x cols]; a header or delimiter in `format` throws usage.
Table read_npy_table(const std::filesystem::path& path, const TableFormat& format);

}  // namespace credens::data
