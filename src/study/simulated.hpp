// SPDX-License-Identifier: Apache-2.0
//
// The paper's experiments on simulated data, Figures 1 and 2, as runs.

#pragma once

#include <cstddef>
#include <vector>

#include "study/run.hpp"

namespace credens::study {

inline constexpr std::size_t figure1_rows = 200;
inline constexpr std::size_t figure1_members = 10;

/// Figure 1 with the seeds 0, 1, ....
std::vector<Run> figure1_runs(std::size_t repetitions);

inline constexpr std::size_t figure2_members = 10;  ///< while rows vary; the rate is 0.001
inline constexpr std::size_t figure2_rows = 600;    ///< while members vary; the rate is 1/600
inline constexpr std::size_t figure2_test_rows = 1000;

struct Figure2Grid {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> members;  ///< rising
};

/// Members cost nothing: the largest ensemble is trained, the others are its first members. So `quick` has fewer rows
/// alone.
Figure2Grid figure2_grid(bool quick);

/// Series `rows` and `members`, and `width`: gamma of the networks of `members`, widened with other numbers of rows.
/// All settings of one repetition are tested on the same rows, and fewer training rows are the first of more.
std::vector<Run> figure2_runs(const Figure2Grid& grid, std::size_t repetitions);

}  // namespace credens::study
