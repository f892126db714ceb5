// SPDX-License-Identifier: Apache-2.0
//
// Weights of rows and members: not negative, not all zero.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credens::model {

/// Checks weights of rows, which may arrive in blocks.
class RowWeights {
 public:
  /// `name` is what sentences call the weights, `first` the number of the first one there.
  explicit RowWeights(std::string name = "weights", std::size_t first = 0) : name_(std::move(name)), next_(first) {}

  void add(std::span<const double> weights);  ///< throws data for one that is negative or not finite

  /// Throws data where there are weights and their sum is 0 or not finite.
  void check_sum() const;

  /// By which weights are divided, so that no product with a score overflows; 1 without weights. Throws as check_sum.
  double largest() const;

 private:
  std::string name_;
  std::size_t next_;
  bool is_empty_ = true;
  double sum_ = 0;
  double largest_ = 0;
};

/// Throws data unless there are `count` finite values, none negative, with a positive sum.
void check_weights(std::span<const double> weights, std::size_t count, std::string_view name);

/// Throws usage unless the weights of a mixture's members lie between 0 and 1 and have the sum 1.
void check_mixture_weights(std::span<const double> weights);

/// The weights divided by their sum.
std::vector<double> normalised(std::vector<double> weights);

/// 1/count each.
std::vector<double> uniform_weights(std::size_t count);

}  // namespace credens::model
