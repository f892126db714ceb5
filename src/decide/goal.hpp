// SPDX-License-Identifier: Apache-2.0
//
// Expected improvement by a measurement, where a largest, smallest or given value is looked for.

#pragma once

#include <credens/suggest.hpp>

namespace credens::decide {

/// E max(X, 0) for X ~ N(mean, std^2).
double expected_excess(double mean, double std);

/// E |X| for X ~ N(mean, std^2).
double expected_distance(double mean, double std);

/// E max(reach - |X|, 0) for X ~ N(mean, std^2).
double expected_closeness(double mean, double std, double reach);

/// Standard deviation of the conditional mean at a row that is going to be measured: with the variance v of the
/// function and the noise s^2 it is v / sqrt(v + s^2).
double learnable_std(double variance, double noise_variance);

}  // namespace credens::decide
