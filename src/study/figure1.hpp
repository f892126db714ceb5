// SPDX-License-Identifier: Apache-2.0
//
// The paper's Figure 1 as data: ten networks on 200 noisy rows of a quartic, the classical ensemble beside the extended
// one.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/fit.hpp>
#include <credens/score.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace credens::study {

struct Figure1Options {
  std::size_t rows = 200;       ///< for training
  std::size_t test_rows = 300;  ///< none of them trained on
  std::size_t members = 10;
  std::uint64_t seed = 0;

  int threads = 0;  ///< 0: all cores; the result does not depend on it
  std::function<void(const Progress&)> on_progress = {};
  std::function<void(std::string_view)> on_warning = {};
  std::stop_token stop = {};
};

/// One ensemble at the test rows, in the order of their x. Intervals hold 95 %, as mean +- z std.
struct Figure1Curves {
  std::vector<double> mean;
  std::vector<double> lower;  ///< of a new observation
  std::vector<double> upper;
  std::vector<double> function_lower;  ///< of the regression function
  std::vector<double> function_upper;
  double mean_epistemic_std = 0;
  Scores scores;  ///< against the observations, and against the truth
};

struct Figure1 {
  Dataset train;
  Dataset test;               ///< in the order of x
  std::vector<double> x;      ///< of the test rows
  std::vector<double> truth;  ///< the regression function there
  Ensemble wide;
  Figure1Curves classical;
  Figure1Curves extended;
};

/// The paper's settings for simulated data: 60 epochs, batches of 64, a tenth of the rate in the last five epochs,
/// prior precision 1 (the paper's lambda of one over the rows stands beside the mean loss).
FitOptions simulated_settings(std::size_t members, double learning_rate, std::uint64_t seed);

inline constexpr double figure1_level = 0.95;

/// Trains with the paper's settings for simulated data and the rate 1 / rows.
Figure1 make_figure1(const Figure1Options& options = {});

}  // namespace credens::study
