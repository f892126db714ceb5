// SPDX-License-Identifier: Apache-2.0
//
// How predictions go with one input at a time, while the others stay as in the typical row: numbers and dates at their
// median, words at the most frequent one. The bands are those of a prediction for such rows.

#pragma once

#include <credens/ensemble.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "report/page.hpp"
#include "score/even_sample.hpp"
#include "score/scorer.hpp"

namespace credens::report {

/// Inputs of rows that are evenly spaced over the data, with their known noise where there is any.
class InputSample {
 public:
  void add(MatrixView inputs, MatrixView noise_std);

  bool is_empty() const { return columns() == 0; }
  std::size_t inputs() const { return inputs_; }
  std::size_t columns() const;                          ///< inputs, then noise of each output
  std::vector<double> column(std::size_t index) const;  ///< ascending, without missing values

 private:
  std::size_t inputs_ = 0;
  std::optional<scoring::EvenSample<std::vector<double>>> rows_;
};

/// One input, taken through the values that most rows have.
struct Walk {
  std::size_t input = 0;
  std::vector<double> values = {};
};

/// The typical row of a sample, and walks away from it.
class TypicalRow {
 public:
  /// Both must live as long. The sample is not empty.
  TypicalRow(const Ensemble& ensemble, const InputSample& sample);

  double input(std::size_t index) const { return row_[index]; }  ///< NaN: missing in all rows

  /// From the 1st to the 99th percentile in equal steps; of words the most frequent ones, at most 20. Fewer than two
  /// values where the rows do not differ.
  Walk walk(std::size_t input, std::size_t points) const;

  Matrix inputs_along(const Walk& walk) const;  ///< [values x d]
  Matrix noise_along(const Walk& walk) const;   ///< [values x q]; empty: none is known

 private:
  const model::EnsembleState& state_;
  const InputSample& sample_;
  std::vector<double> row_;  ///< inputs, then noise
};

/// Charts of what each input does to the first `outputs` outputs: a section for each, with a chart for each of the
/// inputs that move its prediction most. None where there are no rows or they differ in no input.
std::vector<Section> effect_sections(const Ensemble& ensemble, const InputSample& sample,
                                     const scoring::IntervalOptions& interval, std::size_t outputs);

/// Likewise of the probabilities of classes, at most one section: for each input that of the class which it moves most.
std::vector<Section> class_effect_sections(const Ensemble& ensemble, const InputSample& sample);

}  // namespace credens::report
