// SPDX-License-Identifier: Apache-2.0
//
// A study as a list of runs: each is one repetition of one setting, and is kept in a small file when it is done, so
// that a study that was stopped goes on where it was.

#pragma once

#include <credens/fit.hpp>

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "learn/plan.hpp"
#include "study/result.hpp"

namespace credens::study {

/// What does not change a result.
struct RunContext {
  int threads = 0;  ///< 0: all cores
  std::function<void(const Progress&)> on_progress = {};
  std::function<void(std::string_view)> on_warning = {};
  std::stop_token stop = {};
};

/// The same options, in this context.
FitOptions in_context(FitOptions options, const RunContext& context);

/// Every option that determines a fit, also those that the recipe decides, in words: "recipe paper, members 10, ...".
/// The paper's recipe does not look at the size of the data.
std::string words_of(const FitOptions& given, const learn::DataSize& size = {});

/// Multiplications of one step forward, over all rows, epochs and members.
double training_effort(const FitOptions& options, std::size_t rows, std::size_t inputs);

struct Run {
  std::string name;      ///< of its file, without extension
  std::string settings;  ///< all that determines the result, in words; a file with other words is not used
  double effort = 1;     ///< in any unit: how long it takes compared with others
  std::function<std::vector<Measurement>(const RunContext&)> work;
};

/// The measurements of each run. A file of `folder` that holds the run with the same settings, made by the same version
/// of Credens, stands for it; what is absent, damaged or other is worked out and written. Progress is over all runs
/// (which it calls members). On stop: throws interrupted, and the runs that are done are kept.
std::vector<std::vector<Measurement>> perform(std::span<const Run> runs, const std::filesystem::path& folder,
                                              const RunContext& context);

}  // namespace credens::study
