// SPDX-License-Identifier: Apache-2.0
//
// The minimiser of a function of one number.

#pragma once

#include <functional>

namespace credens::math {

/// Minimiser of f on [low, high] (Brent), to ten bits, with 40 evaluations at most.
double minimiser(const std::function<double(double)>& f, double low, double high);

}  // namespace credens::math
