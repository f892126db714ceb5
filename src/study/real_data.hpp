// SPDX-License-Identifier: Apache-2.0
//
// The paper's Table 1: four public data sets, how each is divided and how networks are trained on it.

#pragma once

#include <credens/dataset.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace credens::study {

struct RealData {
  std::string name;   ///< one word
  std::string title;  ///< as in the paper
  double learning_rate = 0;
  double lambda = 0;
  std::size_t batch = 0;
  std::size_t epochs = 0;
  std::size_t repetitions = 0;        ///< splits, or seeds of the official split
  std::size_t quick_repetitions = 0;  ///< the large sets take minutes each
};

/// In the paper's order.
const std::vector<RealData>& table1();

/// A training part and rows that were held back.
struct Parts {
  std::shared_ptr<const Dataset> train;
  std::shared_ptr<const Dataset> test;
};

/// The rows of a data set and its official split, or random ones that hold back a fifth.
class RealRows {
 public:
  /// `test` without rows: there is no official split. Inputs that are constant in the training part say nothing and are
  /// dropped, as the paper did with four of Blog.
  RealRows(RealData set, Dataset train, Dataset test);

  const RealData& set() const { return set_; }
  std::size_t train_rows() const;
  std::size_t inputs() const;
  bool has_official_split() const { return test_ != nullptr; }
  Parts parts(std::uint64_t seed) const;  ///< the official ones do not depend on the seed
  std::string fingerprint() const;        ///< of all rows

 private:
  RealData set_;
  std::shared_ptr<const Dataset> train_;  ///< all rows, where splits are random
  std::shared_ptr<const Dataset> test_;
};

}  // namespace credens::study
