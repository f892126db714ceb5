// SPDX-License-Identifier: Apache-2.0
//
// A table that the ranks of one machine read once.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>

#include "base/team.hpp"
#include "data/row_portions.hpp"

namespace credens::data {

/// As open_table, for a team whose ranks all come here. The first rank of each machine reads and unpacks the table into
/// memory that the others map; what is wrong with it is said as open_table says it. An .npy file is mapped by all as it
/// is, and what would take more than half of the memory is read by each rank.
std::unique_ptr<RowPortions> open_shared_table(base::Team& team, const std::filesystem::path& path,
                                               const TableFormat& format);

}  // namespace credens::data
