// SPDX-License-Identifier: Apache-2.0
//
// Intervals with a promise (split conformal prediction): a new row that is exchangeable with the calibration rows lies
// inside with at least the probability asked for, whatever the model got wrong. docs/method.md has the mathematics.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/predictive.hpp>
#include <credens/promise.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace credens {

struct CalibrateOptions {
  double level = 0.95;        ///< the highest level that must be possible: groups with too few rows are refused
  std::string column = {};    ///< a promise for each value of this column; empty: one for all
  bool by_ignorance = false;  ///< a promise for low, middle and high ignorance
};

/// Takes calibration rows block by block and gives the model with its promise.
class Calibration {
 public:
  Calibration(Ensemble ensemble, CalibrateOptions options);  ///< throws usage for classes
  Calibration(Calibration&&) noexcept;
  ~Calibration();

  /// Rows of the training table. Where they are given, the model keeps the inputs of up to 2,000 of them and of as many
  /// calibration rows, by which new rows are judged (credens/trust.hpp).
  void add_training(MatrixView inputs, MatrixView targets);

  /// Rows, what the model predicts of them and what was observed; `inputs` may be empty, for a model without networks.
  /// `groups` has the value of the column at each row where there is one.
  void add(MatrixView inputs, const Predictive& predictive, MatrixView targets,
           std::span<const std::string> groups = {});

  /// Throws data where rows are those of training or a group has too few, and numerical where a promise is infinite.
  Ensemble finish() const;

  /// Rows that are also rows of training, as far as these are known: repeated measurements, where they are few.
  std::size_t rows_of_training() const { return shared_; }
  std::size_t recognisable_rows() const { return known_; }

 private:
  struct JudgingInputs;

  void recognise(MatrixView inputs, MatrixView targets);
  void check_new() const;
  void check_trained() const;
  Promise promise() const;

  Ensemble ensemble_;
  CalibrateOptions options_;
  std::vector<double> scores_;  ///< [N x q]
  std::vector<double> ignorance_;
  std::vector<std::string> groups_;
  std::size_t known_ = 0;
  std::size_t shared_ = 0;
  std::unique_ptr<JudgingInputs> judging_;
};

/// All rows of a dataset at once.
Ensemble calibrate(const Ensemble& ensemble, const Dataset& rows, const CalibrateOptions& options = {},
                   std::span<const std::string> groups = {});

/// One interval per row and output: P(y inside) >= level for each output. `groups` as in Calibration::add. Throws usage
/// for a model without a promise, a level that its rows cannot hold and a group that it does not know.
Interval guaranteed_interval(const Ensemble& ensemble, const Predictive& predictive, double level,
                             std::span<const std::string> groups = {});

/// One box per row that holds all outputs at once: P(all y inside) >= level.
Interval guaranteed_joint_interval(const Ensemble& ensemble, const Predictive& predictive, double level,
                                   std::span<const std::string> groups = {});

/// The law of the share of new rows that the intervals of one calibration hold: Beta(a, b).
struct CoverageLaw {
  double a = 0;
  double b = 0;

  double mean() const { return a / (a + b); }  ///< what is promised
  double quantile(double p) const;
};

/// Whether intervals are for one output or hold all outputs at once.
enum class Guarantee { interval, joint };

CoverageLaw coverage_law(std::size_t rows, double level, Guarantee guarantee = Guarantee::interval);

/// The fewest calibration rows with which intervals of this level are finite.
std::size_t rows_needed(double level, Guarantee guarantee = Guarantee::interval);

/// The share of calibration rows that the model's own intervals held: the central quantiles of its mixture, before any
/// promise. One per output.
std::vector<double> coverage_before(const PromiseGroup& group, double level);

}  // namespace credens
