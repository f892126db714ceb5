// SPDX-License-Identifier: Apache-2.0
//
// The simulated regression problems of the paper, with their noise-free truth, and a problem of two classes.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <cstdint>

namespace credens {

/// Rows of a simulated problem; `truth` [N x 1] is the regression function at the inputs.
struct SimulatedData {
  Dataset data;
  Matrix truth;
};

/// Figure 1: eta(x) = ((4.5 x)^4 - (18 x)^2 + 22.5 x) / 2, x uniform on [-1, 1], noise standard deviation 10.
SimulatedData figure1_problem(std::size_t rows, std::uint64_t seed);

/// Figure 2: eta(x) = sum_i (1.5 x_i - 1)^2 (1.3 x_i + 1)^2, x uniform on [-1, 1]^2, noise standard deviation 0.2.
SimulatedData figure2_problem(std::size_t rows, std::uint64_t seed);

/// Two half circles of radius 1 that reach into each other, classes `upper` and `lower`, as likely as each other. Both
/// coordinates have noise of standard deviation 0.25.
Dataset two_moons(std::size_t rows, std::uint64_t seed);

}  // namespace credens
