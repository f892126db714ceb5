// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <credens/fit.hpp>

#include <cstddef>

namespace credens::learn {

/// A step of the training, counted from 0.
struct StepPlace {
  std::size_t epoch = 0;
  std::size_t epochs = 0;
  std::size_t step = 0;  ///< over all epochs
  std::size_t steps = 0;
};

/// The learning rate of a step. The last five epochs are all of them if there are fewer.
double scheduled_rate(Schedule schedule, double rate, const StepPlace& place);

}  // namespace credens::learn
