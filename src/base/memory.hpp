// SPDX-License-Identifier: Apache-2.0
//
// How much memory there is.

#pragma once

#include <cstddef>
#include <cstdint>

namespace credens::base {

/// Of the machine or the control group, whichever is less: for all processes together.
std::uint64_t machine_memory();

/// This process's part of that, or its address space where that is less.
std::uint64_t process_memory();

/// So many processes, this one among them, share the machine.
void share_memory(std::size_t processes);

}  // namespace credens::base
