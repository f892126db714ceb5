// SPDX-License-Identifier: Apache-2.0

#include "study/figure1.hpp"

#include <credens/problems.hpp>
#include <credens/widen.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "study/run.hpp"

namespace credens::study {
namespace {

FitOptions paper_settings(const Figure1Options& options) {
  return in_context(simulated_settings(options.members, 1.0 / static_cast<double>(options.rows), options.seed),
                    {.threads = options.threads,
                     .on_progress = options.on_progress,
                     .on_warning = options.on_warning,
                     .stop = options.stop});
}

std::vector<std::size_t> counted(std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

std::vector<double> column(MatrixView values) {
  std::vector<double> column;
  for (std::size_t row = 0; row < values.rows(); ++row) column.push_back(values(row, 0));
  return column;
}

double mean_std(MatrixView variance) {
  double sum = 0;
  for (const double value : column(variance)) sum += std::sqrt(value);
  return sum / static_cast<double>(variance.rows());
}

struct Rows {
  Dataset train;
  Dataset test;  ///< in the order of x
  Matrix truth;  ///< [test rows x 1]
};

Rows make_rows(const Figure1Options& options) {
  const SimulatedData problem = figure1_problem(options.rows + options.test_rows, options.seed);
  std::vector<std::size_t> test_rows = counted(options.rows, options.test_rows);
  std::ranges::sort(test_rows, {}, [&](std::size_t row) { return problem.data.inputs()(row, 0); });
  Rows rows{.train = problem.data.select(counted(0, options.rows)),
            .test = problem.data.select(test_rows),
            .truth = Matrix(options.test_rows, 1)};
  for (std::size_t i = 0; i < test_rows.size(); ++i) rows.truth(i, 0) = problem.truth(test_rows[i], 0);
  return rows;
}

Figure1Curves curves(const Predictive& predictive, const Rows& rows) {
  const Interval total = predictive.interval(figure1_level);
  const Interval function = predictive.function_interval(figure1_level);
  return {.mean = column(predictive.mean()),
          .lower = column(total.lower),
          .upper = column(total.upper),
          .function_lower = column(function.lower),
          .function_upper = column(function.upper),
          .mean_epistemic_std = mean_std(predictive.epistemic_variance()),
          .scores = score(predictive, rows.test.targets(), {.level = figure1_level, .truth = rows.truth})};
}

}  // namespace

FitOptions simulated_settings(std::size_t members, double learning_rate, std::uint64_t seed) {
  return {.recipe = Recipe::paper,
          .members = members,
          .epochs = 60,
          .batch = 64,
          .learning_rate = learning_rate,
          .schedule = Schedule::drop_last_five,
          .prior_precision = 1.0,
          .posterior = PosteriorKind::isotropic,
          .standardise_inputs = false,
          .seed = seed};
}

Figure1 make_figure1(const Figure1Options& options) {
  base::require(options.rows > 0 && options.test_rows > 0, ErrorCode::usage,
                "figure 1 with {} training rows and {} test rows, expected at least 1 of each", options.rows,
                options.test_rows);
  const Rows rows = make_rows(options);
  const Ensemble narrow = fit(rows.train, paper_settings(options));
  const Ensemble wide = widen(narrow, rows.train, {.threads = options.threads});
  const Predictive extended = wide.predict(rows.test.inputs(), {.threads = options.threads});
  return {.train = rows.train,
          .test = rows.test,
          .x = column(rows.test.inputs()),
          .truth = column(rows.truth),
          .wide = wide,
          .classical = curves(extended.classical(), rows),
          .extended = curves(extended, rows)};
}

}  // namespace credens::study
