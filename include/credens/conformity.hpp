// SPDX-License-Identifier: Apache-2.0
//
// Conformity of what is predicted with limits of tolerance (JCGM 106).

#pragma once

#include <credens/matrix.hpp>
#include <credens/predictive.hpp>

#include <optional>

namespace credens {

/// A tolerance interval; at least one end is given, and the lower one lies below the upper one.
struct ToleranceLimits {
  std::optional<double> lower = {};
  std::optional<double> upper = {};
};

/// Whose value is to conform.
enum class Measurand {
  observation,  ///< a new measurement, with its noise
  function,     ///< the regression function
};

/// The probability [N x q] that the value lies within the limits (they included), under the exact mixtures. Throws usage
/// for limits that are none.
Matrix conformity_probability(const Predictive& predictive, const ToleranceLimits& limits,
                              Measurand of = Measurand::observation);

}  // namespace credens
