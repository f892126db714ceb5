// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include "cli/columns.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

namespace {

struct OutputsArguments {
  std::string model;
  std::string data;
  std::string folder;
  std::vector<std::string> target;
  std::vector<std::string> noise_std;
  TableFormat format;
};

void declare(Arguments& arguments, OutputsArguments& outputs) {
  arguments.file("MODEL", outputs.model, "A model that `credens fit` or `credens widen` wrote");
  arguments.file("DATA", outputs.data, "Table of rows: text, also compressed, or .npy; - is standard input");
  arguments.option<std::string>("-o,--output", "DIR", outputs.folder, "Folder for the arrays", {}).required = true;
  arguments.group("Rows");
  columns_option(arguments, "--target", outputs.target,
                 "Columns with what was observed, where they are not called as in training");
  columns_option(
      arguments, "--noise-std", outputs.noise_std,
      "Columns with the known standard deviation of each row's noise, where they are not called as in training");
  format_options(arguments, outputs.format);
}

Matrix in_network_units(const data::Scaler& scaler, Matrix targets) {
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    for (std::size_t k = 0; k < targets.cols(); ++k) targets(row, k) = scaler.apply(k, targets(row, k));
  }
  return targets;
}

void run(const OutputsArguments& arguments) {
  const RowArguments row_arguments{.model = arguments.model,
                                   .data = arguments.data,
                                   .outputs = "",
                                   .noise_std = arguments.noise_std,
                                   .format = arguments.format};
  check_arguments(row_arguments);
  const Ensemble ensemble = load(arguments.model);
  const Rows rows = read_rows(ensemble, row_arguments);
  OutputsFolder folder{.outputs = ensemble.member_outputs(rows.inputs, {.noise_std = rows.noise_std}),
                       .prior_precision = ensemble.prior_precision()};
  if (!arguments.target.empty() || has_targets(ensemble, rows.table)) {
    folder.outputs.targets =
        in_network_units(ensemble.state().target_scaler, targets_of(ensemble, rows, arguments.target));
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
