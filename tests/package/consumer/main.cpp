// SPDX-License-Identifier: Apache-2.0
//
// A user's first program: fit, widen, predict, save, load. Fails when the copy from the file predicts
// anything else.

#include <credens/credens.hpp>

#include <cstdio>

int main(int, char** arguments) {
  using namespace credens;
  try {
    const SimulatedData problem = figure1_problem(64, 1);
    const Ensemble wide = fit(problem.data, {.members = 2, .hidden = {16, 8}, .epochs = 5, .seed = 7, .threads = 1});
    save(wide, arguments[1]);
    const Predictive first = wide.predict(problem.data.inputs());
    const Predictive again = load(arguments[1]).predict(problem.data.inputs());
    const bool same = first.mean() == again.mean() && first.total_variance() == again.total_variance();
    std::printf("credens %s: %s\n", std::string(version()).c_str(), same ? "same predictions" : "other predictions");
    return same ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_status();
  }
}
