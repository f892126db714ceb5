// SPDX-License-Identifier: Apache-2.0
//
// The rows a model is asked about: a table for its networks, or the arrays of an outputs folder.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/outputs_folder.hpp>
#include <credens/store.hpp>

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "data/table.hpp"
#include "data/table_reader.hpp"

namespace credens::cli {

/// MODEL, DATA or `--outputs DIR`, and how DATA is read.
struct RowArguments {
  std::string model;
  std::string data;
  std::string outputs;
  std::vector<std::string> noise_std;
  TableFormat format;
};

void row_arguments(Arguments& arguments, RowArguments& rows);
void outputs_option(Arguments& arguments, std::string& into);  ///< `--outputs DIR`

/// A block of what was read. Either `arrays`, or a table with the inputs and, where known, the noise that
/// the model finds in it.
struct Rows {
  std::string source = {};  ///< how sentences name the folder of arrays
  std::optional<MemberOutputs> arrays = {};
  data::Table table = {};
  Matrix inputs = {};     ///< [N x d]
  Matrix noise_std = {};  ///< [N x q] or empty

  std::size_t count() const { return arrays ? arrays->rows() : inputs.rows(); }
};

/// Throws usage unless exactly one of DATA and `--outputs` is given and standard input is asked for at most once.
/// Before anything is read.
void check_arguments(const RowArguments& arguments);

/// Block by block, so that memory does not grow with the rows.
class RowStream {
 public:
  /// The ensemble must live as long.
  RowStream(const Ensemble& ensemble, const RowArguments& arguments);

  /// Valid until the next call; null: there are no more. Throws data where they are not as many as were counted.
  const Rows* next();
  void rewind();  ///< the next block is the first again
  std::size_t count_rows();
  data::Table header() const { return reader_ ? reader_->header() : data::Table(); }  ///< no rows; empty for arrays

 private:
  const Rows* next_arrays();
  void check_count(bool is_last) const;

  const Ensemble& ensemble_;
  std::vector<std::string> noise_std_;
  std::optional<data::TableReader> reader_;  ///< none for arrays
  std::optional<OutputsReader> arrays_;      ///< none for a table
  std::size_t next_row_ = 0;
  std::optional<std::size_t> counted_;  ///< rows, once somebody asked
  Rows block_;
};

Predictive predict(const Ensemble& ensemble, const Rows& rows);

/// The targets [N x q] in the units of the data: columns given, or those the model was trained on. Throws data where
/// there are none.
Matrix targets_of(const Ensemble& ensemble, const Rows& rows, const std::vector<std::string>& given);

/// Whether targets_of would find every column without being told.
bool has_targets(const Ensemble& ensemble, const data::Table& table);

/// Columns, one per output. `name` is the option that gave them.
Matrix columns_per_output(const Ensemble& ensemble, const data::Table& table, const std::vector<std::string>& columns,
                          std::string_view name);

/// The values of a column of row weights; empty where no column is given.
std::vector<double> weights_of(const data::Table& table, const std::string& column);

/// Warns where the fingerprint of rows, read from `data`, is not that of the rows, weights and noise that the model was
/// made from.
void warn_unless_trained_on(const Ensemble& ensemble, const std::string& fingerprint, const std::string& data,
                            const std::string& model);

}  // namespace credens::cli
