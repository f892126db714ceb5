// SPDX-License-Identifier: Apache-2.0
//
// The peak of the processor, the yardstick of training: fused multiply-adds on registers alone.

#pragma once

#include <cstddef>

namespace bench {

/// Runs `rounds` rounds of independent multiply-adds with the widest vectors there are; returns the floating-point
/// operations done, two per multiply-add and lane. `sink` receives a value that depends on all of them.
double multiply_add(std::size_t rounds, float* sink);

}  // namespace bench
