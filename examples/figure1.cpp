// SPDX-License-Identifier: Apache-2.0
//
// The paper's Figure 1 from the library alone: ten networks on 200 noisy rows of a quartic, the classical ensemble
// beside the extended one, at 300 rows that neither has seen. The numbers are those of `credens demo --seed SEED`.
// Usage: figure1 [SEED]; writes the curves to figure1.csv

#include <credens/credens.hpp>

#include <fstream>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

using namespace credens;

namespace {

constexpr std::size_t train_rows = 200;
constexpr std::size_t test_rows = 300;

std::vector<std::size_t> counted(std::size_t first, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

/// The paper's settings for simulated data: a learning rate of one over the rows, and a lambda of one over the rows
/// beside the mean loss, which makes a prior precision of 1.
FitOptions paper_settings(std::uint64_t seed) {
  return {.recipe = Recipe::paper,
          .members = 10,
          .epochs = 60,
          .batch = 64,
          .learning_rate = 1.0 / train_rows,
          .schedule = Schedule::drop_last_five,
          .prior_precision = 1.0,
          .posterior = PosteriorKind::isotropic,
          .standardise_inputs = false,
          .seed = seed};
}

void print_scores(const char* name, const Scores& scores) {
  std::cout << name << ": the 95 % interval holds the regression function at " << 100 * scores.function_coverage.value()
            << " % of the rows, new observations at " << 100 * scores.total_coverage << " %; negative log likelihood "
            << scores.nll << "\n";
}

void write_curves(const Dataset& test, MatrixView truth, const Predictive& p) {
  std::ofstream file("figure1.csv");
  file << "x,observed,truth,mean,classical_lower,classical_upper,extended_lower,extended_upper\n";
  const Matrix mean = p.mean();
  const Interval narrow = p.classical().function_interval(0.95);
  const Interval wide = p.function_interval(0.95);
  for (std::size_t row = 0; row < test.rows(); ++row) {
    file << test.inputs()(row, 0) << ',' << test.targets()(row, 0) << ',' << truth(row, 0) << ',' << mean(row, 0) << ','
         << narrow.lower(row, 0) << ',' << narrow.upper(row, 0) << ',' << wide.lower(row, 0) << ','
         << wide.upper(row, 0) << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::uint64_t seed = argc > 1 ? std::stoull(argv[1]) : 0;
  const SimulatedData problem = figure1_problem(train_rows + test_rows, seed);
  const Dataset train = problem.data.select(counted(0, train_rows));
  const Dataset test = problem.data.select(counted(train_rows, test_rows));
  const MatrixView truth = problem.truth.view().row_block(train_rows, test_rows);

  const Ensemble wide = fit(train, paper_settings(seed));
  const Predictive p = wide.predict(test.inputs());

  print_scores("classical", score(p.classical(), test.targets(), {.truth = truth}));
  print_scores("extended", score(p, test.targets(), {.truth = truth}));
  write_curves(test, truth, p);
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return error.exit_status();
}
