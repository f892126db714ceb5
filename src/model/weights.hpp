// SPDX-License-Identifier: Apache-2.0
//
// Weights of rows and members: not negative, not all zero.

#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace credens::model {

/// Throws data unless there are `count` finite values, none negative, with a positive sum.
void check_weights(std::span<const double> weights, std::size_t count, std::string_view name);

/// The weights divided by their sum.
std::vector<double> normalised(std::vector<double> weights);

/// 1/count each.
std::vector<double> uniform_weights(std::size_t count);

}  // namespace credens::model
