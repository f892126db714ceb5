// SPDX-License-Identifier: Apache-2.0
//
// How much memory there is, and giving some back.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace credens::base {

/// The least limit of this process's control group and of those that it is in, as job schedulers set them; the largest
/// number without one. `root` stands before the paths of the system's files: other ones are for tests.
std::uint64_t group_memory(std::string_view root = {});

/// Memory of the machine or of the control group, whichever is less: for all processes together.
std::uint64_t machine_memory();

/// Memory this process may use: its part of machine_memory(), or its own limits where they are less.
std::uint64_t process_memory();

/// Sets how many processes, this one among them, share the machine's memory.
void share_memory(std::size_t processes);

/// Gives memory that was freed back to the system, which the C library otherwise keeps where something behind it is in
/// use. For moments when much of it is free for long.
void release_free_memory();

}  // namespace credens::base
