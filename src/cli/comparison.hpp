// SPDX-License-Identifier: Apache-2.0
//
// A model against observations: the arguments and the pass over the rows that `evaluate` and `report` share.

#pragma once

#include <credens/ensemble.hpp>

#include <functional>
#include <string>
#include <vector>

#include "cli/rows.hpp"
#include "score/scorer.hpp"

namespace credens::cli {

struct ComparisonArguments {
  RowArguments rows;
  std::vector<std::string> truth;
  scoring::IntervalOptions interval;
};

void comparison_arguments(Arguments& arguments, ComparisonArguments& comparison);

/// Throws usage where arguments contradict each other. Before anything is read.
void check_arguments(const ComparisonArguments& arguments);

/// The largest of the row weights, read in a pass of its own where rows have weights; 1 where they have none.
double largest_weight(RowStream& stream);

/// Gives away the rows from the first on, block by block: predictions and what was observed.
/// `wants` is asked for each, counted from 0; nothing is predicted for those that are not wanted.
void for_observations(
    const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
    const std::function<void(const scoring::Observations&)>& take,
    const std::function<bool(std::size_t, const Rows&)>& wants = [](std::size_t, const Rows&) { return true; });

}  // namespace credens::cli
