// SPDX-License-Identifier: Apache-2.0
//
// A table that the ranks of one machine read once.

#pragma once

#include <credens/dataset.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/team.hpp"
#include "data/row_portions.hpp"

namespace credens::data {

/// Half of the machine's memory, or of this process's address space where that is less.
std::uint64_t most_shared_bytes();

/// As open_table, for a team whose ranks all come here. Where a machine has several ranks, the first of them reads and
/// unpacks the table into memory that the others map; what is wrong with it is said as open_table says it. An .npy file
/// is mapped by all as it is. A table of more than `most_bytes`, or one that some rank cannot map, is read by each
/// rank.
std::unique_ptr<RowPortions> open_shared_table(base::Team& team, const std::filesystem::path& path,
                                               const TableFormat& format,
                                               std::uint64_t most_bytes = most_shared_bytes());

}  // namespace credens::data
