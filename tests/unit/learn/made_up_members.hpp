// SPDX-License-Identifier: Apache-2.0
//
// Made-up members at made-up rows that they did not see.

#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "learn/calibration.hpp"

namespace credens::learn {

inline base::RandomStream random_stream(std::uint64_t seed) {
  return base::RandomStream({.seed = seed, .purpose = base::Purpose::test});
}

struct Size {
  std::size_t rows = 0;
  std::size_t members = 1;
  std::size_t configurations = 1;
  std::size_t outputs = 1;
  std::size_t units = 1;
};

/// Means and log s^2 of 0; each row is held out by one member of each configuration. |phi|^2 is 0: no posterior widens.
inline HeldOut made_up(const Size& size) {
  HeldOut held{.weight_in_all = static_cast<double>(size.rows),
               .targets = Matrix(size.rows, size.outputs),
               .known_variance = {},
               .weights = std::vector<double>(size.rows, 1),
               .members = {},
               .first_pair = {0},
               .pair_member = {}};
  for (std::size_t l = 0; l < size.members; ++l) {
    held.members.push_back({.configuration = l % size.configurations,
                            .features = 1,
                            .mean = Matrix(size.rows, size.outputs),
                            .log_variance = Matrix(size.rows, size.units),
                            .squared_features = std::vector<double>(size.rows)});
  }
  for (std::size_t r = 0; r < size.rows; ++r) {
    for (std::uint32_t l = 0; l < size.members; ++l) {
      if (l / size.configurations == r % (size.members / size.configurations)) held.pair_member.push_back(l);
    }
    held.first_pair.push_back(held.pair_member.size());
  }
  return held;
}

inline void hold_out_all(HeldOut& held) {
  held.pair_member.clear();
  held.first_pair = {0};
  for (std::size_t r = 0; r < held.rows(); ++r) {
    for (std::uint32_t l = 0; l < held.members.size(); ++l) held.pair_member.push_back(l);
    held.first_pair.push_back(held.pair_member.size());
  }
}

/// Targets of exactly the Gaussian whose log s^2 is `undo` of what every member says.
inline HeldOut heteroscedastic(const Size& size, std::uint64_t seed, const NoiseMap& undo = {}) {
  HeldOut held = made_up(size);
  base::RandomStream random = random_stream(seed);
  for (std::size_t r = 0; r < size.rows; ++r) {
    const double log_variance = random.uniform(-4, 1);
    held.targets(r, 0) = std::exp(log_variance / 2) * random.normal();
    for (MemberAtRows& member : held.members) member.log_variance(r, 0) = (log_variance - undo.shift) / undo.slope;
  }
  return held;
}

/// Unit noise plus errors of the members' own.
inline HeldOut scattered(const Size& size, double spread, std::uint64_t seed) {
  HeldOut held = made_up(size);
  base::RandomStream random = random_stream(seed);
  for (double& target : held.targets.values()) target = random.normal();
  for (MemberAtRows& member : held.members) {
    for (double& mean : member.mean.values()) mean = spread * random.normal();
  }
  return held;
}

}  // namespace credens::learn
