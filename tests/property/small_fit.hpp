// SPDX-License-Identifier: Apache-2.0
//
// Small trained ensembles on made-up data, through the public interface only.

#pragma once

#include <credens/dataset.hpp>
#include <credens/fit.hpp>
#include <credens/widen.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace credens {

/// Two inputs, `outputs` targets that depend on them, noise that grows with the first input.
inline Dataset made_up_data(std::size_t rows, std::size_t outputs, std::uint64_t seed) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  DatasetParts parts{.inputs = Matrix(rows, 2), .targets = Matrix(rows, outputs)};
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = parts.inputs(i, 0) = random.uniform(-1, 1);
    const double b = parts.inputs(i, 1) = random.uniform(0, 3);
    for (std::size_t k = 0; k < outputs; ++k) {
      const double phase = static_cast<double>(k);
      parts.targets(i, k) = std::sin(2 * a + phase) + 0.3 * b + (0.2 + 0.1 * a) * random.normal();
    }
  }
  return Dataset(std::move(parts));
}

inline FitOptions small_options() {
  return {.recipe = Recipe::paper,
          .members = 3,
          .hidden = {{9, 6}},
          .epochs = 6,
          .batch = 16,
          .learning_rate = 0.01,
          .seed = 5,
          .threads = 2};
}

inline Matrix rows_in_order(MatrixView values, const std::vector<std::size_t>& order) {
  Matrix result(order.size(), values.cols());
  for (std::size_t i = 0; i < order.size(); ++i) std::ranges::copy(values.row(order[i]), result.row(i).begin());
  return result;
}

inline std::vector<std::size_t> reversed_rows(std::size_t rows) {
  std::vector<std::size_t> order(rows);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

}  // namespace credens
