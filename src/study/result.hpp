// SPDX-License-Identifier: Apache-2.0
//
// What studies find: single measurements, their means and spreads, and the files that hold them.

#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace credens::study {

inline constexpr const char* classical_method = "classical";
inline constexpr const char* extended_method = "extended";

/// What was measured where; two measurements with equal keys are repetitions of each other.
struct MeasurementKey {
  std::string series = {};  ///< empty: the experiment has one only
  std::string data = {};
  std::size_t rows = 0;  ///< for training
  std::size_t members = 0;
  std::string method = {};  ///< classical or extended
  std::string metric = {};
  bool operator==(const MeasurementKey&) const = default;
};

struct Measurement {
  MeasurementKey key;
  double value = 0;
};

struct Result {
  std::string experiment;  ///< the word of the command
  MeasurementKey key;
  double mean = 0;
  double std = 0;  ///< sample standard deviation; NaN for a single value
  std::size_t count = 0;
  std::optional<double> paper = {};  ///< what is published
  double least = 0;                  ///< of the values
  double largest = 0;

  double standard_error() const { return std / std::sqrt(static_cast<double>(count)); }
};

/// One result per key, in the order in which keys first appear. What the paper says is left open.
std::vector<Result> summarise(const std::string& experiment, std::span<const std::vector<Measurement>> runs);

/// The result with this key, or null.
const Result* find_result(std::span<const Result> results, const std::string& experiment, const MeasurementKey& key);

/// An array of objects / a table with one line per result; the same keys in both. Not finite: null / an empty cell.
std::string results_json(std::span<const Result> results);
std::string results_csv(std::span<const Result> results);

/// What results_json wrote; other text throws data, calling it `source`.
std::vector<Result> parse_results(const std::string& text, const std::string& source);

/// `found`, and of `kept` what belongs to other experiments, series or data than these, in the order of `experiments`.
std::vector<Result> merge_results(std::span<const Result> kept, std::span<const Result> found,
                                  std::span<const std::string> experiments);

}  // namespace credens::study
