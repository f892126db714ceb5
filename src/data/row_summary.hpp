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
#include "data/classes.hpp"
#include "data/encoder.hpp"
#include "data/row_sketch.hpp"
#include "data/row_source.hpp"
#include "data/scaler.hpp"

namespace credens::data {

/// Rows drawn at random, the same ones however rows arrive: all of them while they are few.
class RowSample {
 public:
  /// Fewer rows of more than 1,677 columns are kept, so that a sample takes 128 MB at most, or 1,000 rows.
  explicit RowSample(std::size_t cols);
  RowSample(std::size_t cols, std::size_t most);

  void add(MatrixView rows, std::span<const double> weights);

  std::size_t rows() const { return drawn_.size(); }

  /// The sampled rows in the order of the source, and their weights, which are 1 where rows have none.
  Matrix values() const;
  std::vector<double> weights() const;
  std::vector<std::size_t> source_rows() const;  ///< their numbers in the source

  /// Values of a column in the sampled rows whose weight is not 0, ascending; missing ones are left out.
  std::vector<double> sorted_column(std::size_t col) const;

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

/// Keys by which rows belong together, one value per row.
struct RowKeys {
  std::vector<std::uint64_t> inputs = {};  ///< hashes of the inputs: equal for equal rows
  std::vector<double> groups = {};         ///< none where the rows have no groups
  std::vector<double> times = {};          ///< none where the rows have no times
  std::vector<double> targets = {};        ///< [N x q]
  std::vector<double> weights = {};        ///< none where the rows have none
};

struct RowSummary {
  std::size_t rows = 0;
  std::size_t first_line = 0;  ///< of row 0 in a text file; 0: an array
  double weight_total = 0;     ///< the number of rows where there are no weights
  std::string fingerprint;     ///< as that of a Dataset with these rows
  std::string digest;          ///< of a RowDigest, for whoever reads the rows again
  RowSketch sketch;
  std::size_t rows_without_target = 0;
  ColumnMoments inputs;
  ColumnMoments targets;
  TargetCounts classes;  ///< of a classification with one target; else none
  std::vector<std::vector<std::size_t>>
      level_rows;               ///< by input: rows that count of each level, or day of the calendar
  std::vector<bool> has_hours;  ///< by input: whether dates differ in their time of day
  RowSample sample;             ///< of the inputs; no rows where none was asked for
  RowKeys keys;                 ///< none where there are more rows than asked for
};

/// From the first row to the last; the source is left at its first row. Keys are kept of at most `most_keys` rows: of
/// more rows there are none.
RowSummary summarise(RowSource& source, bool with_sample = false, std::size_t most_keys = 0);

/// How each input enters the networks, by what all rows have shown; empty where all are numbers that need no flag. A
/// level, or the missing cells of a number, need 5 rows to be learned from. A cycle needs a span of one and a half of
/// its periods, that of a day also times; days of the calendar need rows of three years.
std::vector<InputEncoding> encodings_of(const Schema& schema, const RowSummary& summary);

/// Inputs that nothing can be learned of, such as identifiers: categories that nobody asked for, with more than half as
/// many words as rows, where neither a word nor the missing cells have rows enough.
std::vector<std::size_t> unlearnable_inputs(const Schema& schema, const RowSummary& summary);

/// Columns with values so far from their mean that the others would hardly differ (ascending), but for those `without`
/// (ascending).
std::vector<std::size_t> heavy_tailed_columns(const ColumnMoments& moments, std::span<const std::size_t> without);

/// Standardises columns, those that are heavy-tailed after an asinh transform: centre = median, width = interquartile
/// range / 1.349, the standard deviation of a normal column; where that is 0, the median distance from the centre of
/// the rows that are not at it. `moments` are those of all rows; quantiles, and the scale of transformed columns, are
/// those of the sample's rows whose weight is not 0. Columns `without` (ascending) have no asinh transform.
Scaler asinh_scaler(const RowSample& sample, const ColumnMoments& moments, std::span<const std::string> labels,
                    std::span<const std::size_t> without = {});

}  // namespace credens::data
