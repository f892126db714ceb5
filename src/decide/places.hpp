// SPDX-License-Identifier: Apache-2.0
//
// Distances between rows of inputs, whatever their kinds.
//
// Letters: M training rows, d inputs, w numbers of a place.

#pragma once

#include <credens/matrix.hpp>

#include <array>
#include <span>
#include <vector>

#include "data/encoder.hpp"

namespace credens::decide {

/// Neighbours whose distance counts in one input alone: the first finds gaps between values that repeat, the others gaps
/// that a stray row lies in.
constexpr std::array<std::size_t, 3> input_neighbours = {1, 5, 10};

/// Distances of a row from training rows.
class Places {
 public:
  /// `training` [M x d] as the encoder takes it: in the units of the data, NaN for what is missing.
  Places(const data::Encoder& encoder, MatrixView training);

  std::size_t inputs() const { return columns_.size(); }

  /// Distances in each input alone: first those to the nearest row, then to the 5th, then to the 10th. A word or a
  /// missing number is as far as training rows with it are few.
  void distances_by_input(std::span<const double> row, std::span<double> distances) const;

  /// Squared distance to the nearest training row: in all inputs as they are, and with their correlations taken away.
  std::array<double, 2> nearest(std::span<const double> row) const;

 private:
  struct Column {
    std::vector<double> sorted = {};      ///< scaled numbers of training rows
    std::vector<std::size_t> words = {};  ///< training rows by word; empty for a number
    std::size_t missing = 0;              ///< training rows where it is missing
    std::size_t first = 0;                ///< of its numbers in a place
  };

  void place_of(std::span<const double> row, std::span<double> place) const;
  void whiten(std::span<const double> place, std::span<double> white) const;

  const data::Encoder& encoder_;
  std::vector<Column> columns_;
  std::size_t width_ = 0;
  Matrix places_;      ///< [M x w] of training rows
  Matrix white_;       ///< [M x w] likewise, with unit covariance
  Matrix whitening_;   ///< [w x w], upper triangular: white = S^T place
};

}  // namespace credens::decide
