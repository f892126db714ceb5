// SPDX-License-Identifier: Apache-2.0
//
// The results of one pass over rows, and which input columns get an asinh transform by it.

#pragma once

#include <credens/matrix.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "data/row_sketch.hpp"
#include "data/row_source.hpp"
#include "data/scaler.hpp"

namespace credens::data {

/// Rows drawn at random, the same ones however rows arrive: all of them while they are few.
class RowSample {
 public:
  /// Fewer rows of more than 1,677 columns are kept, so that a sample takes 128 MB at most, or 1,000 rows.
  explicit RowSample(std::size_t cols);

  void add(MatrixView rows, std::span<const double> weights);

  std::size_t rows() const { return drawn_.size(); }

  /// The sampled rows in the order of the source, and their weights, which are 1 where rows have none.
  Matrix values() const;
  std::vector<double> weights() const;

 private:
  /// A row of the source, with the random number that it was drawn by: those with the least are the sample.
  struct Drawn {
    std::uint64_t number = 0;
    std::size_t row = 0;
    double weight = 1;
    std::vector<double> values = {};

    bool operator<(const Drawn& other) const { return number < other.number; }
  };
  std::vector<const Drawn*> in_order() const;

  std::size_t cols_;
  std::size_t most_;
  std::size_t seen_ = 0;
  base::RandomStream random_;
  std::vector<Drawn> drawn_;  ///< a heap, the largest number in front
};

struct RowSummary {
  std::size_t rows = 0;
  double weight_total = 0;  ///< the number of rows where there are no weights
  std::string fingerprint;  ///< as that of a Dataset with these rows
  std::string digest;       ///< of a RowDigest, for whoever reads the rows again
  RowSketch sketch;
  ColumnMoments inputs;
  ColumnMoments targets;
  RowSample sample;  ///< of the inputs; no rows where none was asked for
};

/// From the first row to the last; the source is left at its first row.
RowSummary summarise(RowSource& source, bool with_sample = false);

/// Standardises columns, those that are heavy-tailed after an asinh transform: centre = median, width = interquartile
/// range / 1.349, the standard deviation of a normal column; where that is 0, the median distance from the centre of
/// the rows that are not at it. `moments` are those of all rows; quantiles, and the scale of transformed columns, are
/// those of the sample's rows whose weight is not 0.
Scaler asinh_scaler(const RowSample& sample, const ColumnMoments& moments, std::span<const std::string> labels);

}  // namespace credens::data
