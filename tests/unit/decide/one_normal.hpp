// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <credens/predictive.hpp>

namespace credens::test {

/// A prediction of one row by one member.
inline Predictive one_normal(double mean, double noise_std, double ignorance_std) {
  return Predictive({.rows = 1,
                     .outputs = 1,
                     .weights = {1},
                     .mean = {mean},
                     .aleatoric_variance = {noise_std * noise_std},
                     .epistemic_variance = {ignorance_std * ignorance_std}});
}

}  // namespace credens::test
