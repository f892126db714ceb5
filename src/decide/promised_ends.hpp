// SPDX-License-Identifier: Apache-2.0
//
// Ends of the intervals of a group, as normal scores.

#pragma once

#include <credens/guarantee.hpp>

#include <vector>

namespace credens::decide {

struct PromisedEnds {
  double lower = 0;
  double upper = 0;
};

/// The ends for each output. Throws usage where the group has too few rows for the level, data where an end is infinite.
std::vector<PromisedEnds> promised_ends(const PromiseGroup& group, double level, Guarantee guarantee);

}  // namespace credens::decide
