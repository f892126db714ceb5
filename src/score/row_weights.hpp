// SPDX-License-Identifier: Apache-2.0
//
// Row weights that arrive in blocks, before anything is scored with them.

#pragma once

#include <cstddef>
#include <span>

namespace credens::scoring {

class RowWeights {
 public:
  void add(std::span<const double> weights);  ///< throws data for what is negative or not finite

  /// By which weights are divided, so that no product with a score overflows; 1 without weights. Throws data where the
  /// sum is 0 or not finite.
  double largest() const;

 private:
  std::size_t count_ = 0;
  double sum_ = 0;
  double largest_ = 0;
};

}  // namespace credens::scoring
