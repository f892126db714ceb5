// SPDX-License-Identifier: Apache-2.0
//
// The median of values that arrive one at a time, in bounded memory.

#pragma once

#include <cstddef>
#include <map>
#include <vector>

namespace credens::scoring {

/// The weighted median of values that are not negative: exact for up to `most_held` of them. Of more, each is rounded
/// to 13 binary digits, so that the median is off by at most 1 part in 8192.
class RunningMedian {
 public:
  explicit RunningMedian(std::size_t most_held) : most_held_(most_held) {}

  void add(double value, double weight);
  double value() const;  ///< as math::weighted_median

 private:
  static constexpr std::size_t digits = 12;  ///< behind the first one, which doubles do not store

  void count(double value, double weight);

  std::size_t most_held_;
  std::vector<double> values_;
  std::vector<double> weights_;
  std::map<std::size_t, std::vector<double>> by_exponent_;  ///< the weight of each rounded value; empty: all held
};

}  // namespace credens::scoring
