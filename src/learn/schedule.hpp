// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <credens/fit.hpp>

#include <cstddef>

namespace credens::learn {

/// The learning rate of an epoch, 0 <= epoch < epochs. The last five are all of them if there are fewer.
double scheduled_rate(Schedule schedule, double rate, std::size_t epoch, std::size_t epochs);

}  // namespace credens::learn
