// SPDX-License-Identifier: Apache-2.0
//
// The paper's Figure 1 in curves, tables and charts: the classical ensemble beside the extended one, on rows of a known
// function.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/score.hpp>

#include <cstdint>
#include <vector>

#include "report/page.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

inline constexpr double figure1_level = 0.95;

/// One ensemble at the test rows. Intervals hold 95 %, as mean +- z std.
struct Figure1Curves {
  scoring::OutputDiagnostics rows;
  double mean_epistemic_std = 0;
  Scores scores;  ///< against the observations, and against the truth
};

struct Figure1 {
  std::size_t train_rows = 0;
  std::vector<double> x;      ///< of the test rows, rising
  std::vector<double> truth;  ///< the regression function
  std::vector<double> gamma;  ///< of each member
  Figure1Curves classical;
  Figure1Curves extended;
};

/// `test` has one input and one target, in the order of the input; `truth` [rows x 1] is the regression function there.
Figure1 make_figure1(const Ensemble& wide, std::size_t train_rows, const Dataset& test, MatrixView truth,
                     int threads = 0);

/// The classical ensemble beside the extended one; also for the terminal.
Table figure1_scores(const Figure1& figure);

/// The six panels.
Figure figure1_panels(const Figure1& figure);

/// The page of `credens demo`; `seed` is what the figure was made from.
Page figure1_page(const Figure1& figure, std::uint64_t seed);

}  // namespace credens::report
