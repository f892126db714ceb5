// SPDX-License-Identifier: Apache-2.0

#include "data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/random.hpp"

namespace credens::data {

SplitRows split_rows(std::size_t rows, const SplitOptions& options) {
  base::check_probability(options.test_fraction, "the test fraction");
  base::require(rows >= 2, ErrorCode::usage, "{} rows cannot be split, expected at least 2", rows);
  const auto wanted = static_cast<std::size_t>(std::llround(options.test_fraction * static_cast<double>(rows)));
  const std::size_t test_count = std::clamp<std::size_t>(wanted, 1, rows - 1);

  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::split});
  const std::vector<std::uint32_t> order = base::permutation(rows, random);
  std::vector<bool> in_test(rows, false);
  for (std::size_t i = 0; i < test_count; ++i) in_test[order[i]] = true;

  SplitRows split;
  for (std::size_t row = 0; row < rows; ++row) (in_test[row] ? split.test : split.rest).push_back(row);
  return split;
}

}  // namespace credens::data
