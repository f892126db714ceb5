// SPDX-License-Identifier: Apache-2.0
//
// Conformity of what is predicted with limits of tolerance: its probability, guard bands and statements (JCGM 106,
// ILAC-G8).

#pragma once

#include <credens/matrix.hpp>
#include <credens/predictive.hpp>

#include <optional>
#include <span>
#include <vector>

namespace credens {

/// A tolerance interval; the lower limit lies below the upper one. Neither limit: nothing is demanded.
struct ToleranceLimits {
  std::optional<double> lower = {};
  std::optional<double> upper = {};

  bool is_given() const { return lower || upper; }
};

/// Whose value is to conform.
enum class Measurand {
  observation,  ///< a new measurement, with its noise
  function,     ///< the regression function
};

enum class DecisionRule {
  simple,   ///< pass where the mean lies within the limits
  guarded,  ///< pass and fail where the risk of either is small enough; conditional statements between
};

enum class Statement { pass, conditional_pass, conditional_fail, fail };

struct ConformityOptions {
  DecisionRule rule = DecisionRule::guarded;
  double risk = 0.05;  ///< largest probability that a pass, or a fail, is wrong; between 0 and 0.5
  Measurand of = Measurand::observation;
};

/// Probabilities, guard bands and statements of each row and output.
struct Conformity {
  Matrix probability;  ///< [N x q], of a value within the limits, they included, under the exact mixture
  /// [N x q]: how far inside its limit a mean must lie so that the probability of a value beyond this limit is the
  /// risk. 0 for simple decisions.
  Matrix guard_lower;
  Matrix guard_upper;
  std::vector<Statement> statement;  ///< N q, row by row

  Statement statement_at(std::size_t row, std::size_t output) const {
    return statement[row * probability.cols() + output];
  }
};

/// Limits of each output; an output without limits conforms for certain. Throws usage for limits that are none, for a
/// wrong number of them, and for a risk out of range.
Conformity conformity(const Predictive& predictive, std::span<const ToleranceLimits> limits,
                      const ConformityOptions& options = {});

}  // namespace credens
