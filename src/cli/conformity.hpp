// SPDX-License-Identifier: Apache-2.0
//
// Limits of tolerance on the command line, and the columns that they add to predictions.

#pragma once

#include <credens/conformity.hpp>

#include <optional>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/named_values.hpp"
#include "cli/prediction_table.hpp"

namespace credens::cli {

struct ConformityArguments {
  std::vector<NamedValue> lower = {};
  std::vector<NamedValue> upper = {};
  std::optional<DecisionRule> rule = {};
  std::optional<double> risk = {};
  std::optional<Measurand> of = {};

  bool is_given() const { return !lower.empty() || !upper.empty(); }
};

void conformity_arguments(Arguments& arguments, ConformityArguments& conformity);

/// Throws usage where something but limits is given. Before anything is read.
void check_arguments(const ConformityArguments& arguments);

/// Limits of each output. Throws usage for names that no output has.
std::vector<ToleranceLimits> limits_of(const ConformityArguments& arguments, const std::vector<data::Column>& outputs);

/// conformity, guard_lower, guard_upper and statement of the outputs that have limits; guard bands only where decisions
/// have them and the limit is given.
std::vector<Quantity> conformity_quantities(const Predictive& predictive, const ConformityArguments& arguments,
                                            const std::vector<ToleranceLimits>& limits);

}  // namespace credens::cli
