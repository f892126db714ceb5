// SPDX-License-Identifier: Apache-2.0
//
// What `credens reproduce` was asked for, and the runs that follow from it.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/member_range.hpp"
#include "cli/progress.hpp"
#include "cli/reproduce_parts.hpp"
#include "study/run.hpp"

namespace credens::cli {

struct ReproduceArguments {
  std::string experiment;
  std::string data;
  std::string folder = "credens-reproduction";
  bool quick = false;
  std::optional<std::size_t> repetitions = {};
  std::optional<std::size_t> year_shape = {};  ///< rows

  // Of the UCI benchmark.
  std::vector<std::string> sets = {};  ///< empty: all
  std::optional<MemberRange> splits = {};
  std::vector<std::string> settings = {};  ///< "name=value" for every fit

  int threads = 0;
  ProgressKind progress = ProgressKind::automatic;
  bool json = false;
};

/// The runs of one experiment.
struct Plan {
  std::string experiment;
  std::vector<study::Run> runs = {};
};

/// Throws usage for options of another experiment, io where no data are found. What is not found while other things
/// are stands in `reproduction.left_out`.
std::vector<Plan> make_plans(const ReproduceArguments& arguments, Reproduction& reproduction);

}  // namespace credens::cli
