// SPDX-License-Identifier: Apache-2.0
//
// A few rows of a stream, evenly spaced, for what needs no more.

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace credens::scoring {

/// Every s-th row of a stream, beginning with the first; s is the least power of 2 with which they are at most `most`.
template <class Row>
class EvenSample {
 public:
  explicit EvenSample(std::size_t most) : most_(most) {}

  /// `make` gives the row where it is wanted.
  template <class Make>
  void add_made(const Make& make) {
    if (seen_++ % step_ != 0) return;
    rows_.push_back(make());
    if (rows_.size() > most_) halve();
  }
  void add(const Row& row) {
    add_made([&] { return row; });
  }
  const std::vector<Row>& rows() const { return rows_; }
  std::size_t seen() const { return seen_; }

 private:
  void halve() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows_.size(); i += 2) std::swap(rows_[kept++], rows_[i]);
    rows_.resize(kept);
    step_ *= 2;
  }

  std::size_t most_;
  std::size_t step_ = 1;
  std::size_t seen_ = 0;
  std::vector<Row> rows_;
};

}  // namespace credens::scoring
