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
#include "data/schema.hpp"

namespace credens::cli {

struct PredictionOptions {
  std::optional<double> level = {};            ///< 0.95 if not given
  std::optional<double> coverage_factor = {};  ///< mean +- K std, in place of a level
  IntervalKind interval = IntervalKind::gaussian;
  std::vector<double> quantiles = {};
  bool class_std = false;  ///< of a classification: also the epistemic standard deviation of each probability
};

/// Per output `y`: y_mean, y_aleatoric_std, y_epistemic_std, y_total_std, y_lower, y_upper, y_function_lower,
/// y_function_upper, y_quantile_0.05, .... An output with a unit has it behind each name: `y_mean [MPa]`.
std::vector<std::string> prediction_columns(const std::vector<data::Column>& outputs, const PredictionOptions& options);

/// The values of those columns, [N x columns].
Matrix prediction_values(const Predictive& predictive, const PredictionOptions& options);

/// The columns of a classification with target `y`: y_class, y_probability_<class>, ..., y_entropy, y_aleatoric,
/// y_epistemic, and where asked for y_epistemic_std_<class>, ....
std::vector<std::string> class_columns(const data::Schema& schema, const PredictionOptions& options);

/// The values of those columns; the first is the number of the class.
Matrix class_values(const ClassPredictive& predictive, const PredictionOptions& options);

/// A number with its decimal mark, and the delimiter of tables that have it.
std::string number_text(double value, char decimal);
inline char delimiter_of(char decimal) {
  return decimal == ',' ? ';' : ',';
}

/// Whether a table of this name is an array, which says at its start how many rows it has.
bool is_array_file(const std::filesystem::path& path);

/// Rows as CSV with a header or, by the extension `.npy`, as a float64 array. Written block by block; `-` is standard
/// output. `rows` matters to arrays alone. With the decimal mark ',' fields are separated by semicolons.
class TableWriter {
 public:
  TableWriter(const std::string& path, const std::vector<std::string>& columns, std::size_t rows, char decimal = '.');

  /// Rows of several matrices side by side, after the cells that `kept` has for each row of CSV, if any.
  void write(std::span<const MatrixView> parts, std::span<const std::string> kept = {});
  void commit() { file_.commit(); }

 private:
  base::OutputFile file_;
  bool is_npy_;
  char decimal_;
};

}  // namespace credens::cli
