// SPDX-License-Identifier: Apache-2.0
//
// Long work beside the thread that asked for it: Python handles signals in its main thread only, and what users give is
// called where they called.

#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <utility>

namespace credens::python {

/// Throws KeyboardInterrupt, or what else a handler of signals raises.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

/// The result of work(token), on a thread of its own that must not touch Python. Meanwhile `watch` is called now and
/// then, with the interpreter's lock; where it throws, a stop is requested, and it is thrown once the work has ended.
template <class Work, class Watch>
auto interruptible(const Work& work, const Watch& watch) {
  constexpr auto pause = std::chrono::milliseconds(50);
  const nanobind::gil_scoped_release released;
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] { return work(stop.get_token()); });
  try {
    while (result.wait_for(pause) == std::future_status::timeout) {
      const nanobind::gil_scoped_acquire acquired;
      watch();
    }
  } catch (...) {
    stop.request_stop();
    result.wait();
    throw;
  }
  return result.get();
}

}  // namespace credens::python
