// SPDX-License-Identifier: Apache-2.0

#include "cli/model_rows.hpp"

#include <cmath>

#include "cli/columns.hpp"
#include "data/make_dataset.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

namespace {

DatasetParts layout_of(const model::EnsembleState& state, bool has_noise) {
  const std::size_t outputs = state.target_names.size();
  return {.inputs = Matrix(0, state.layout.inputs),
          .targets = Matrix(0, outputs),
          .weights = {},
          .noise_std = Matrix(0, has_noise ? outputs : 0),
          .input_names = state.layout.input_names,
          .target_names = state.target_names,
          .weight_name = {},
          .noise_names = state.noise_names,
          .input_columns = state.layout.positions,
          .table_columns = state.layout.training_cols,
          .target_columns = state.target_columns};
}

void check_variances(const Rows& rows) {
  for (std::size_t row = 0; row < rows.noise_std.rows(); ++row) {
    for (const double noise : rows.noise_std.row(row)) {
      base::require(std::isnormal(noise * noise), ErrorCode::data,
                    "{}: the noise of row {} is {}, whose square is no usable variance", rows.table.source,
                    rows.table.first_row + row, noise);
    }
  }
}

}  // namespace

void train_options(Arguments& arguments, TrainArguments& train) {
  columns_option(arguments, "--target", train.target, "Target columns, where they are not called as in training");
  column_option(arguments, "--weight", train.weight, "Column of row weights, to be given as it was to `fit`");
  columns_option(
      arguments, "--noise-std", train.noise_std,
      "Columns with the known standard deviation of each row's noise, where they are not called as in training");
  format_options(arguments, train.format);
}

ModelRows::ModelRows(const Ensemble& ensemble, const std::string& model, TrainArguments train)
    : ensemble_(ensemble),
      train_(std::move(train)),
      stream_(ensemble, {.model = model,
                         .data = train_.table,
                         .outputs = {},
                         .noise_std = train_.noise_std,
                         .format = train_.format}),
      layout_(layout_of(ensemble.state(), ensemble.state().known_noise || !train_.noise_std.empty())) {}

bool ModelRows::next(data::RowBlock& block) {
  const Rows* rows = stream_.next();
  if (rows == nullptr) {
    if (has_weights()) data::check_weight_total(weight_total_, stream_.header().source);
    return false;
  }
  targets_ = targets_of(ensemble_, *rows, train_.target);
  weights_ = weights_of(rows->table, train_.weight);
  for (const double weight : weights_) weight_total_ += weight;
  check_variances(*rows);
  block = {.first_row = rows->table.first_row,
           .inputs = rows->inputs,
           .targets = targets_,
           .weights = weights_,
           .noise_std = rows->noise_std};
  return true;
}

void ModelRows::rewind() {
  stream_.rewind();
  weight_total_ = 0;
}

}  // namespace credens::cli
