// SPDX-License-Identifier: Apache-2.0

#include "cli/rows.hpp"

#include <algorithm>
#include <cmath>

#include "cli/columns.hpp"
#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/team.hpp"
#include "data/shared_table.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_rows.hpp"

namespace credens::cli {

namespace {

/// A column whose values all pass `holds`; `what` and `expected` are for the sentence where one does not.
std::vector<double> checked_column(const data::Table& table, const std::string& column, bool (*holds)(double),
                                   std::string_view what, std::string_view expected) {
  const std::size_t col = data::find_column(table, column);
  const Matrix taken = data::select_columns(table, {&column, 1});
  for (std::size_t row = 0; row < taken.rows(); ++row) {
    base::require(holds(taken(row, 0)), ErrorCode::data, "{}: the {} is {}, expected {}",
                  data::place_of(table, row, col), what, taken(row, 0), expected);
  }
  return {taken.values().begin(), taken.values().end()};
}

/// [N x q]; one column serves all outputs.
Matrix noise_of(const Ensemble& ensemble, const data::Table& table, const std::vector<std::string>& given) {
  const model::EnsembleState& state = ensemble.state();
  const std::vector<std::string>& columns = given.empty() ? state.noise_names : given;
  if (!state.known_noise && given.empty()) return {};
  base::require(!columns.empty(), ErrorCode::usage,
                "the model was trained with known noise: say with --noise-std which column of {} holds it",
                table.source);
  base::require(columns.size() == 1 || columns.size() == ensemble.outputs(), ErrorCode::usage,
                "--noise-std gives {} columns, expected one for all outputs or one each ({})", columns.size(),
                ensemble.outputs());
  Matrix noise(table.rows(), ensemble.outputs());
  for (std::size_t k = 0; k < ensemble.outputs(); ++k) {
    const std::string& name = columns[columns.size() == 1 ? 0 : k];
    const std::vector<double> column = checked_column(
        table, name, [](double value) { return value > 0; }, "noise", "a number above 0");
    const double scale = state.target_scaler.scale[k];
    for (std::size_t row = 0; row < table.rows(); ++row) {
      noise(row, k) = column[row];
      if (noise(row, k) / scale < model::largest_scaled_noise) continue;
      base::fail(ErrorCode::data, "{}: the noise is {}, too large beside the target's scale {}",
                 data::place_of(table, row, data::find_column(table, name)), noise(row, k), scale);
    }
  }
  return noise;
}

/// By name; without names by their places in training, if the table has the same layout.
std::vector<std::string> target_columns(const model::EnsembleState& state, const data::Table& table) {
  if (!table.names.empty()) return state.target_names;
  std::vector<std::string> columns;
  if (table.cols() != state.layout.training_cols) return columns;
  for (const std::size_t column : state.target_columns) columns.push_back(fmt::format("{}", column));
  return columns;
}

/// Where input `j` of the model stands in a table that select_inputs took.
std::size_t input_position(const data::Table& table, const data::InputLayout& layout, std::size_t j) {
  if (!layout.input_names.empty() && !table.names.empty()) return data::find_column(table, layout.input_names[j]);
  return table.cols() == layout.inputs ? j : layout.positions[j];
}

/// What the networks would refuse without knowing the table.
void check_range(const model::EnsembleState& state, const data::Table& table, const Matrix& inputs) {
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    for (std::size_t j = 0; j < inputs.cols(); ++j) {
      if (std::abs(state.input_scaler.apply(j, inputs(row, j))) <= data::largest_scaled) continue;
      base::fail(ErrorCode::data, "{}: {} is too far from the training data for a network in single precision",
                 data::place_of(table, row, input_position(table, state.layout, j)), inputs(row, j));
    }
  }
}

void require_networks(const Ensemble& ensemble, const std::string& model) {
  base::require(ensemble.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks: give --outputs in place of DATA", model);
}

/// Fills in what the model finds in the table.
void find_inputs(const Ensemble& ensemble, const std::vector<std::string>& noise_std, Rows& rows) {
  rows.inputs = data::select_inputs(rows.table, ensemble.state().layout);
  check_range(ensemble.state(), rows.table, rows.inputs);
  rows.noise_std = noise_of(ensemble, rows.table, noise_std);
}

Matrix targets_of_arrays(const Ensemble& ensemble, const Rows& rows, const std::vector<std::string>& given) {
  base::require(given.empty(), ErrorCode::usage, "--target names columns, but --outputs gives arrays");
  base::require(!rows.arrays->targets.empty(), ErrorCode::data, "{}: no targets.npy", rows.source);
  return data::unscaled(ensemble.state().target_scaler, rows.arrays->targets);
}

}  // namespace

void outputs_option(Arguments& arguments, std::string& into) {
  arguments.option<std::string>("--outputs", "DIR", into, "Folder with the members' arrays, in place of DATA", {});
}

void row_arguments(Arguments& arguments, RowArguments& rows) {
  arguments.file("MODEL", rows.model, "A model that `credens fit` or `credens widen` wrote");
  arguments.optional_file("DATA", rows.data, "Table of rows: text, also compressed, or .npy; - is standard input");
  arguments.group("Rows");
  outputs_option(arguments, rows.outputs);
  columns_option(
      arguments, "--noise-std", rows.noise_std,
      "Columns with the known standard deviation of each row's noise, where they are not called as in training");
  format_options(arguments, rows.format);
}

void check_arguments(const RowArguments& arguments) {
  base::require(arguments.data.empty() != arguments.outputs.empty(), ErrorCode::usage, "{}",
                arguments.data.empty() ? "DATA is missing: give a table, or --outputs with a folder of arrays"
                                       : "both DATA and --outputs are given, expected one of them");
  base::require(arguments.outputs.empty() || arguments.noise_std.empty(), ErrorCode::usage,
                "--noise-std names columns, but --outputs gives arrays");
  check_standard_input({{"MODEL", arguments.model}, {"DATA", arguments.data}});
}

RowStream::RowStream(const Ensemble& ensemble, const RowArguments& arguments)
    : ensemble_(ensemble), noise_std_(arguments.noise_std) {
  if (!arguments.outputs.empty()) {
    arrays_.emplace(arguments.outputs);
    block_.source = arguments.outputs;
  } else {
    require_networks(ensemble, arguments.model);
    reader_.emplace(data::open_shared_table(team(), arguments.data, arguments.format));
  }
}

std::size_t RowStream::count_rows() {
  if (!counted_) counted_ = reader_ ? reader_->count_rows() : arrays_->rows();
  return *counted_;
}

/// Whoever counts rows makes room for so many: a file that was written to meanwhile would leave some of it empty, or
/// need more.
void RowStream::check_count(bool is_last) const {
  if (!counted_) return;
  base::require(is_last ? next_row_ == *counted_ : next_row_ <= *counted_, ErrorCode::data,
                "{}: the number of rows changed while they were read", reader_->header().source);
}

const Rows* RowStream::next() {
  if (arrays_) return next_arrays();
  const bool is_last = !reader_->next(block_.table);
  if (!is_last) next_row_ += block_.table.rows();
  check_count(is_last);
  if (is_last) return nullptr;
  find_inputs(ensemble_, noise_std_, block_);
  return &block_;
}

/// A folder without rows is one block of none, so that whoever reads it learns its shapes.
const Rows* RowStream::next_arrays() {
  const std::size_t first = next_row_;
  if (first > 0 && first >= arrays_->rows()) return nullptr;
  block_.arrays = arrays_->read(first, arrays_->block_rows());
  next_row_ = first + std::max<std::size_t>(1, block_.count());
  return &block_;
}

void RowStream::rewind() {
  next_row_ = 0;
  if (reader_) reader_->rewind();
}

Predictive predict(const Ensemble& ensemble, const Rows& rows) {
  return rows.arrays ? ensemble.predict(*rows.arrays) : ensemble.predict(rows.inputs, {.noise_std = rows.noise_std});
}

Matrix columns_per_output(const Ensemble& ensemble, const data::Table& table, const std::vector<std::string>& columns,
                          std::string_view name) {
  base::require(columns.size() == ensemble.outputs(), ErrorCode::usage,
                "{} gives {} columns, expected {}, one per output", name, columns.size(), ensemble.outputs());
  return data::select_columns(table, columns);
}

Matrix targets_of(const Ensemble& ensemble, const Rows& rows, const std::vector<std::string>& given) {
  if (rows.arrays) return targets_of_arrays(ensemble, rows, given);
  const std::vector<std::string> columns = given.empty() ? target_columns(ensemble.state(), rows.table) : given;
  base::require(!columns.empty(), ErrorCode::data,
                "{}: no names tell which columns are the targets: say it with --target", rows.table.source);
  return columns_per_output(ensemble, rows.table, columns, "--target");
}

bool has_targets(const Ensemble& ensemble, const data::Table& table) {
  const std::vector<std::string> columns = target_columns(ensemble.state(), table);
  const auto is_there = [&](const std::string& column) {
    return table.names.empty() || std::find(table.names.begin(), table.names.end(), column) != table.names.end();
  };
  return !columns.empty() && std::all_of(columns.begin(), columns.end(), is_there);
}

std::vector<double> weights_of(const data::Table& table, const std::string& column) {
  if (column.empty()) return {};
  return checked_column(
      table, column, [](double value) { return value >= 0; }, "weight", "a number that is not negative");
}

void warn_unless_trained_on(const Ensemble& ensemble, const std::string& fingerprint, const std::string& data,
                            const std::string& model) {
  if (fingerprint == ensemble.state().data.fingerprint) return;
  print_error(fmt::format("credens: warning: {} does not hold the rows, weights and noise that {} was made from",
                          data == "-" ? "standard input" : data, model == "-" ? "standard input" : model));
}

}  // namespace credens::cli
