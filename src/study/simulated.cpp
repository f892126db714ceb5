// SPDX-License-Identifier: Apache-2.0

#include "study/simulated.hpp"

#include <credens/problems.hpp>
#include <credens/widen.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/split.hpp"
#include "study/figure1.hpp"
#include "study/measure.hpp"

namespace credens::study {
namespace {

constexpr const char* figure1_data = "figure1";
constexpr const char* figure2_data = "figure2";

void append(std::vector<Measurement>& all, const std::vector<Measurement>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

std::vector<Measurement> work_figure1(std::uint64_t seed, const RunContext& context) {
  const Figure1 figure = make_figure1({.rows = figure1_rows,
                                       .members = figure1_members,
                                       .seed = seed,
                                       .threads = context.threads,
                                       .on_progress = context.on_progress,
                                       .on_warning = context.on_warning,
                                       .stop = context.stop});
  const Setting setting{.series = "", .data = figure1_data, .rows = figure1_rows};
  std::vector<Measurement> all = measurements_of(setting, figure1_members, classical_method, figure.classical.scores);
  append(all, measurements_of(setting, figure1_members, extended_method, figure.extended.scores));
  append(all, measure_widths(setting, figure.wide, figure.train, context.threads));
  return all;
}

struct Figure2Setting {
  std::string series;
  std::size_t rows;
  std::vector<std::size_t> members;  ///< rising
  double learning_rate;
};

/// Theorem 3 by itself: the same networks, widened with more and more rows that none of them was trained on.
std::vector<Measurement> measure_gamma_against_rows(const Ensemble& narrow, std::size_t first_row, std::uint64_t seed,
                                                    int threads) {
  const std::vector<std::size_t> counts = figure2_grid(false).rows;
  const SimulatedData problem = figure2_problem(first_row + counts.back(), seed);
  std::vector<Measurement> all;
  for (const std::size_t rows : counts) {
    const Dataset given = data::rows_between(problem.data, first_row, first_row + rows);
    const std::vector<double> gamma = widen(narrow, given, {.threads = threads}).gamma();
    all.push_back({.key = {.series = "width",
                           .data = figure2_data,
                           .rows = rows,
                           .members = narrow.members(),
                           .method = extended_method,
                           .metric = "gamma"},
                   .value = std::accumulate(gamma.begin(), gamma.end(), 0.0) / static_cast<double>(gamma.size())});
  }
  return all;
}

/// The test rows come first, so that they are the same for any number of training rows.
std::vector<Measurement> work_figure2(const Figure2Setting& figure, std::uint64_t seed, const RunContext& context) {
  const std::size_t end = figure2_test_rows + figure.rows;
  const SimulatedData problem = figure2_problem(end, seed);
  const Dataset test = data::rows_between(problem.data, 0, figure2_test_rows);
  const Dataset train = data::rows_between(problem.data, figure2_test_rows, end);
  const FitOptions options = simulated_settings(figure.members.back(), figure.learning_rate, seed);
  const Ensemble narrow = fit(train, in_context(options, context));
  const Ensemble wide = widen(narrow, train, {.threads = context.threads});
  const Predictive predictive = wide.predict(test.inputs(), {.threads = context.threads});
  const TestRows rows{.targets = test.targets(), .truth = problem.truth.view().row_block(0, figure2_test_rows)};
  const Setting setting{.series = figure.series, .data = figure2_data, .rows = figure.rows};
  std::vector<Measurement> all;
  for (const std::size_t members : figure.members) {
    append(all, measure(setting, first_members(predictive, members), rows));
  }
  append(all, measure_widths(setting, wide, train, context.threads));
  if (figure.series == "members") {
    append(all, measure_gamma_against_rows(narrow, end, seed, context.threads));
  }
  return all;
}

Run figure2_run(const Figure2Setting& figure, std::uint64_t seed) {
  const FitOptions options = simulated_settings(figure.members.back(), figure.learning_rate, seed);
  return {.name = fmt::format("figure2-{}-{}-rows-{}", figure.series, figure.rows, seed),
          .settings = fmt::format("figure 2, series {}, {} rows, first {} members, {} test rows; {}", figure.series,
                                  figure.rows, fmt::join(figure.members, " "), figure2_test_rows, words_of(options)),
          .effort = training_effort(options, figure.rows, 2),
          .work = [figure, seed](const RunContext& context) { return work_figure2(figure, seed, context); }};
}

}  // namespace

std::vector<Run> figure1_runs(std::size_t repetitions) {
  std::vector<Run> runs;
  for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
    const FitOptions options = simulated_settings(figure1_members, 1.0 / static_cast<double>(figure1_rows), seed);
    runs.push_back({.name = fmt::format("figure1-{}", seed),
                    .settings = fmt::format("figure 1, {} rows, {} test rows; {}", figure1_rows,
                                            Figure1Options().test_rows, words_of(options)),
                    .effort = training_effort(options, figure1_rows, 1),
                    .work = [seed](const RunContext& context) { return work_figure1(seed, context); }});
  }
  return runs;
}

Figure2Grid figure2_grid(bool quick) {
  Figure2Grid grid{.rows = {100, 200, 300, 450, 600, 900, 1200, 1800, 2400, 3000},
                   .members = {1, 2, 3, 5, 7, 10, 15, 20}};
  if (quick) grid.rows = {100, 200, 300, 600, 1200, 3000};
  return grid;
}

std::vector<Run> figure2_runs(const Figure2Grid& grid, std::size_t repetitions) {
  std::vector<Run> runs;
  for (const std::size_t rows : grid.rows) {
    for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
      runs.push_back(
          figure2_run({.series = "rows", .rows = rows, .members = {figure2_members}, .learning_rate = 0.001}, seed));
    }
  }
  for (std::uint64_t seed = 0; seed < repetitions; ++seed) {
    runs.push_back(figure2_run({.series = "members",
                                .rows = figure2_rows,
                                .members = grid.members,
                                .learning_rate = 1.0 / static_cast<double>(figure2_rows)},
                               seed));
  }
  return runs;
}

}  // namespace credens::study
