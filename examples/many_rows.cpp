// SPDX-License-Identifier: Apache-2.0
//
// More rows than fit in memory, progress, and a fit that can be stopped.

#include <credens/credens.hpp>

#include <cmath>
#include <iostream>

using namespace credens;

int main() {
  const SimulatedData problem = figure2_problem(500, 1);

  std::stop_source stop;  // stop.request_stop() from another thread ends fit with ErrorCode::interrupted
  FitOptions options;
  options.members = 4;
  options.epochs = 20;
  options.stop = stop.get_token();
  options.on_progress = [](const Progress& progress) {
    if (progress.members_done == progress.members) std::cerr << "trained in " << progress.seconds_elapsed << " s\n";
  };
  const Ensemble wide = fit(problem.data, options);

  // Rows come in blocks of any size and leave in blocks: memory does not grow with their number.
  std::size_t block = 0;
  const BlockSource source = [&](Matrix& inputs, Matrix&) {
    if (block == 100) return false;
    const SimulatedData more = figure2_problem(1000, 2 + block++);
    inputs = Matrix(more.data.rows(), 2);
    std::copy_n(more.data.inputs().data(), inputs.values().size(), inputs.data());
    return true;
  };
  double widest = 0;
  const BlockSink sink = [&](const Predictive& p) {
    const Matrix variances = p.epistemic_variance();
    for (const double variance : variances.values()) widest = std::max(widest, variance);
  };
  wide.predict_blocks(source, sink);
  std::cout << "largest epistemic variance of 100,000 rows: " << widest << "\n";

  // One row at a time, without allocating: for loops that cannot wait.
  Predictor predictor(wide);
  const double row[] = {0.5, -0.25};
  const RowMoments now = predictor.predict(row)[0];
  std::cout << "now: " << now.mean << " +- " << std::sqrt(now.aleatoric_variance + now.epistemic_variance) << "\n";

  // Draws of the regression function, consistent over rows.
  const Samples draws = wide.sample(problem.data.inputs(), {.draws = 10, .of = Draw::function, .seed = 3});
  std::cout << draws.draws << " functions at " << draws.rows << " rows\n";
}
