// SPDX-License-Identifier: Apache-2.0

#include <credens/problems.hpp>

#include <cmath>
#include <numbers>
#include <span>

#include "base/check.hpp"
#include "base/random.hpp"

namespace credens {

namespace {

struct Problem {
  std::uint64_t number;  ///< of the figure; names the random stream
  std::vector<std::string> input_names;
  double (*truth)(std::span<const double> x);
  double noise_std;
};

/// Row by row, so that a larger sample starts with the smaller one.
SimulatedData simulate(const Problem& problem, std::size_t rows, std::uint64_t seed) {
  base::require(rows > 0, ErrorCode::usage, "a simulated problem of 0 rows, expected at least 1");
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::problem, .member = problem.number});
  Matrix inputs(rows, problem.input_names.size());
  Matrix truth(rows, 1);
  Matrix targets(rows, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (double& x : inputs.row(row)) x = random.uniform(-1.0, 1.0);
    truth(row, 0) = problem.truth(inputs.row(row));
    targets(row, 0) = truth(row, 0) + problem.noise_std * random.normal();
  }
  DatasetParts parts{.inputs = std::move(inputs), .targets = std::move(targets)};
  parts.input_names = problem.input_names;
  parts.target_names = {"y"};
  return {Dataset(std::move(parts)), std::move(truth)};
}

double square(double x) {
  return x * x;
}

double figure1_truth(std::span<const double> x) {
  return (square(square(4.5 * x[0])) - square(18.0 * x[0]) + 22.5 * x[0]) / 2.0;
}

double figure2_truth(std::span<const double> x) {
  double sum = 0;
  for (const double x_i : x) sum += square(1.5 * x_i - 1.0) * square(1.3 * x_i + 1.0);
  return sum;
}

}  // namespace

Dataset two_moons(std::size_t rows, std::uint64_t seed) {
  constexpr std::uint64_t number = 3;  // names the random stream
  constexpr double noise_std = 0.25;
  base::require(rows > 0, ErrorCode::usage, "two moons of 0 rows, expected at least 1");
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::problem, .member = number});
  DatasetParts parts{.inputs = Matrix(rows, 2), .targets = Matrix(rows, 1)};
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_lower = random.uniform() < 0.5;
    const double angle = random.uniform(0, std::numbers::pi);
    const double x1 = is_lower ? 1 - std::cos(angle) : std::cos(angle);
    const double x2 = is_lower ? 0.5 - std::sin(angle) : std::sin(angle);
    parts.inputs(row, 0) = x1 + noise_std * random.normal();
    parts.inputs(row, 1) = x2 + noise_std * random.normal();
    parts.targets(row, 0) = is_lower ? 1 : 0;
  }
  parts.input_names = {"x1", "x2"};
  parts.target_names = {"moon"};
  parts.target_levels = parts.classes = {"upper", "lower"};
  return Dataset(std::move(parts));
}

SimulatedData figure1_problem(std::size_t rows, std::uint64_t seed) {
  return simulate({.number = 1, .input_names = {"x"}, .truth = figure1_truth, .noise_std = 10.0}, rows, seed);
}

SimulatedData figure2_problem(std::size_t rows, std::uint64_t seed) {
  return simulate({.number = 2, .input_names = {"x1", "x2"}, .truth = figure2_truth, .noise_std = 0.2}, rows, seed);
}

}  // namespace credens
