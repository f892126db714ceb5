// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include "cli/columns.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

namespace {

struct OutputsArguments {
  RowArguments rows;
  std::string folder;
  std::vector<std::string> target;
  std::string weight;
};

void declare(Arguments& arguments, OutputsArguments& outputs) {
  arguments.file("MODEL", outputs.rows.model, "A model that `credens fit` or `credens widen` wrote");
  arguments.file("DATA", outputs.rows.data, "Table of rows: text, also compressed, or .npy; - is standard input");
  arguments.option<std::string>("-o,--output", "DIR", outputs.folder, "Folder for the arrays", {}).required = true;
  arguments.group("Rows");
  columns_option(arguments, "--target", outputs.target,
                 "Columns with what was observed, where they are not called as in training");
  column_option(arguments, "--weight", outputs.weight, "Column of row weights, to be given as it was to `fit`");
  columns_option(
      arguments, "--noise-std", outputs.rows.noise_std,
      "Columns with the known standard deviation of each row's noise, where they are not called as in training");
  format_options(arguments, outputs.rows.format);
}

void check(const OutputsArguments& arguments) {
  check_arguments(arguments.rows);
  check_folder("-o", arguments.folder);
}

/// Lambda of the training: a model that was widened again may have another one in its posterior.
double trained_precision(const Ensemble& ensemble) {
  const auto stored = model::stored_option(ensemble.state(), "lambda");
  return (stored ? base::parse_double(*stored) : std::nullopt).value_or(ensemble.prior_precision());
}

/// As many rows as in training are most likely those: then their weights and noise should be those of training too.
void warn_of_other_rows(const Ensemble& ensemble, const Rows& rows, const Matrix& targets,
                        const std::vector<double>& weights, const RowArguments& arguments) {
  if (rows.count() != ensemble.state().data.rows) return;
  const Dataset dataset({.inputs = rows.inputs,
                         .targets = targets,
                         .weights = weights,
                         .noise_std = rows.noise_std,
                         .input_names = ensemble.state().layout.input_names,
                         .target_names = ensemble.target_names()});
  warn_unless_trained_on(ensemble, dataset.fingerprint(), arguments.data, arguments.model);
}

void run(const OutputsArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.rows.model);
  const Rows rows = read_rows(ensemble, arguments.rows);
  OutputsFolder folder{.outputs = ensemble.member_outputs(rows.inputs, {.noise_std = rows.noise_std}),
                       .prior_precision = trained_precision(ensemble)};
  folder.outputs.row_weights = weights_of(rows.table, arguments.weight);
  if (!arguments.target.empty() || has_targets(ensemble, rows.table)) {
    Matrix targets = targets_of(ensemble, rows, arguments.target);
    warn_of_other_rows(ensemble, rows, targets, folder.outputs.row_weights, arguments.rows);
    folder.outputs.targets = data::scaled(ensemble.state().target_scaler, targets);
  }
  save_outputs(folder, arguments.folder);
}

}  // namespace

Verb outputs_verb() {
  return make_verb<OutputsArguments>("outputs", "writes what each member says of some rows, for other programs",
                                     {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                      "credens outputs model.safetensors train.csv -o arrays",
                                      "credens widen --outputs arrays --posterior full -o full.safetensors"},
                                     declare, run);
}

}  // namespace credens::cli
