// SPDX-License-Identifier: Apache-2.0
//
// Predictions as a table: columns per output, in the units of the data.

#pragma once

#include <credens/class_predictive.hpp>
#include <credens/predictive.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "data/schema.hpp"

namespace credens::cli {

/// The intervals that are written for observations.
enum class WrittenInterval {
  gaussian,          ///< mean +- z std (the paper's)
  mixture,           ///< central quantiles of the exact mixture
  guaranteed,        ///< promised by calibration rows, for each output
  guaranteed_joint,  ///< likewise, for all outputs at once
};

struct PredictionOptions {
  std::optional<double> level = {};            ///< 0.95 if not given
  std::optional<double> coverage_factor = {};  ///< mean +- K std, in place of a level
  WrittenInterval interval = WrittenInterval::gaussian;
  std::vector<double> quantiles = {};
  bool trust = false;      ///< also how strange the inputs of a row are
  bool class_std = false;  ///< of a classification: also the epistemic standard deviation of each probability
};

/// A column of the table. Text writes words[value] in place of the number, if there are words; arrays write the number.
struct WrittenColumn {
  std::string name;
  std::vector<std::string> words = {};
};

/// One thing that is said of each output `y`, in a column `y_<name>` of its own.
struct Quantity {
  std::string name;
  Matrix values;                        ///< [N x q]
  bool has_unit = true;                 ///< that of the output
  std::vector<std::string> words = {};  ///< as of WrittenColumn
  std::vector<bool> outputs = {};       ///< those that it is said of; empty: all

  bool is_of(std::size_t output) const { return outputs.empty() || outputs[output]; }
};

/// mean, aleatoric_std, epistemic_std, total_std, lower, upper, function_lower, function_upper, quantile_0.05, ....
/// `promised` are the intervals of observations where they are guaranteed.
std::vector<Quantity> quantities_of(const Predictive& predictive, const PredictionOptions& options,
                                    std::optional<Interval> promised = {});

/// All columns of the first output, then those of the next: y_mean, .... An output with a unit has it behind each name
/// that has one: `y_mean [MPa]`.
std::vector<WrittenColumn> prediction_columns(const std::vector<data::Column>& outputs,
                                              std::span<const Quantity> quantities);

/// The values of those columns, [N x columns].
Matrix prediction_values(std::span<const Quantity> quantities);

/// The columns of a classification with target `y`: y_class, y_probability_<class>, ..., y_entropy, y_aleatoric,
/// y_epistemic, and where asked for y_epistemic_std_<class>, ....
std::vector<WrittenColumn> class_columns(const data::Schema& schema, const PredictionOptions& options);

/// The values of those columns; the first is the number of the class.
Matrix class_values(const ClassPredictive& predictive, const PredictionOptions& options);

/// A number with its decimal mark, and the delimiter of tables that have it.
std::string number_text(double value, char decimal);
inline char delimiter_of(char decimal) {
  return decimal == ',' ? ';' : ',';
}

/// A word as a table with this delimiter has it.
std::string csv_cell(const std::string& text, char delimiter);

/// Whether a table of this name is an array, which says at its start how many rows it has.
bool is_array_file(const std::filesystem::path& path);

/// Rows as CSV with a header or, by the extension `.npy`, as a float64 array. Written block by block; `-` is standard
/// output. `rows` matters to arrays alone. With the decimal mark ',' fields are separated by semicolons.
class TableWriter {
 public:
  TableWriter(const std::string& path, std::vector<WrittenColumn> columns, std::size_t rows, char decimal = '.');

  /// Rows of several matrices side by side: the last columns, after the cells that `kept` has for each row of CSV.
  void write(std::span<const MatrixView> parts, std::span<const std::string> kept = {});
  void commit() { file_.commit(); }

 private:
  std::string cell(const WrittenColumn& column, double value) const;
  std::string text_row(std::span<const MatrixView> parts, std::size_t row) const;

  base::OutputFile file_;
  std::vector<WrittenColumn> columns_;
  bool is_npy_;
  char decimal_;
};

}  // namespace credens::cli

template <>
struct credens::base::EnumNames<credens::cli::WrittenInterval> {
  static constexpr std::string_view what = "interval";
  static constexpr std::pair<cli::WrittenInterval, std::string_view> entries[] = {
      {cli::WrittenInterval::gaussian, "gaussian"},
      {cli::WrittenInterval::mixture, "mixture"},
      {cli::WrittenInterval::guaranteed, "guaranteed"},
      {cli::WrittenInterval::guaranteed_joint, "guaranteed-joint"}};
};
