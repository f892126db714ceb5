// SPDX-License-Identifier: Apache-2.0
//
// Independent tasks on threads. Who runs a task never shows in its result: reductions are the caller's, in index order.

#pragma once

#include <cstddef>
#include <functional>

namespace credens::base {

/// 0 asks for all cores this process may use; where processes share them, for this one's part.
int thread_count(int requested);

/// Sets how many processes, this one among them, share the cores that this one may use.
void share_cores(int processes);

/// Runs task(0), ..., task(count - 1), each once, on at most `threads` threads (0: all cores). If tasks throw, no new
/// ones start and the exception of the lowest index is rethrown.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task);

}  // namespace credens::base
