// SPDX-License-Identifier: Apache-2.0
//
// From a table to predictions whose uncertainty is split into noise and ignorance.
// Usage: quickstart TABLE.csv TARGET, where new.csv has rows to predict

#include <credens/credens.hpp>

#include <cmath>
#include <iostream>

using namespace credens;

int main(int argc, char** argv) try {
  if (argc != 3) throw Error(ErrorCode::usage, "usage: quickstart TABLE.csv TARGET");
  const Dataset data = Dataset::from_csv(argv[1], {.targets = {argv[2]}});
  const auto [train, test] = data.split({.test_fraction = 0.1, .seed = 1});

  const Ensemble wide = fit(train, {.members = 5, .seed = 7});

  const Predictive p = wide.predict(test.inputs());
  const Interval interval = p.interval(0.95);
  std::cout << "row 0: mean " << p.mean()(0, 0) << ", noise " << std::sqrt(p.aleatoric_variance()(0, 0))
            << ", ignorance " << std::sqrt(p.epistemic_variance()(0, 0)) << ", 95 % between " << interval.lower(0, 0)
            << " and " << interval.upper(0, 0) << "\n";

  const Scores extended = score(p, test.targets());
  const Scores classical = score(p.classical(), test.targets());
  std::cout << "negative log likelihood: classical " << classical.nll << ", extended " << extended.nll << "\n";

  const Predictive new_rows = wide.predict(wide.read_inputs("new.csv"));
  std::cout << "new row 0: mean " << new_rows.mean()(0, 0) << "\n";

  const Ensemble promised = calibrate(wide, test, {.level = 0.8});  // rows that the model has not seen
  const Interval held = guaranteed_interval(promised, p, 0.8);
  std::cout << "row 0: promised between " << held.lower(0, 0) << " and " << held.upper(0, 0) << "\n";

  save(wide, "quickstart.safetensors");
  std::cout << load("quickstart.safetensors").members() << " members saved\n";
} catch (const Error& error) {
  std::cerr << error.what() << "\n";
  return error.exit_status();
}
