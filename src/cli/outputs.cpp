// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <optional>

#include "cli/columns.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/fingerprint.hpp"
#include "model/ensemble_state.hpp"
#include "store/outputs_writer.hpp"

namespace credens::cli {

namespace {

struct OutputsArguments {
  RowArguments rows;
  std::string folder;
};

void declare(Arguments& arguments, OutputsArguments& outputs) {
  arguments.file("MODEL", outputs.rows.model, "A model that `credens fit` or `credens widen` wrote");
  arguments.file("DATA", outputs.rows.data, "Table of rows: text, also compressed, or .npy; - is standard input");
  arguments.option<std::string>("-o,--output", "DIR", outputs.folder, "Folder for the arrays", {}).required = true;
  arguments.group("Rows");
  columns_option(arguments, "--target", outputs.rows.columns.target,
                 "Columns with what was observed, where they are not called as in training");
  column_option(arguments, "--weight", outputs.rows.columns.weight,
                "Column of row weights, to be given as it was to `fit`");
  noise_option(arguments, outputs.rows.columns);
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

/// Writes the arrays of a table, block by block.
class OutputsOfTable {
 public:
  OutputsOfTable(const Ensemble& ensemble, data::RowSource& table, const OutputsArguments& arguments)
      : ensemble_(ensemble),
        arguments_(arguments),
        rows_(table.count_rows()),
        has_targets_(!data::positions_of(table.schema().targets).empty()) {
    if (has_targets_ && rows_ == ensemble.state().data.rows) fingerprint_.emplace(table.schema(), rows_);
  }

  void add(const data::RowBlock& rows) {
    MemberOutputs outputs = ensemble_.member_outputs(rows.inputs, {.noise_std = rows.noise_std});
    outputs.row_weights.assign(rows.weights.begin(), rows.weights.end());
    if (has_targets_) outputs.targets = data::scaled(ensemble_.state().target_scaler, rows.targets);
    if (fingerprint_) fingerprint_->add(rows);
    if (!writer_) writer_.emplace(arguments_.folder, outputs, trained_precision(ensemble_), rows_);
    writer_->add(outputs);
  }

  /// As many rows as in training are most likely those: then their weights and noise should be those of training too.
  void commit() {
    writer_->commit();
    if (!fingerprint_) return;
    warn_unless_trained_on(ensemble_, fingerprint_->digits(), arguments_.rows.data, arguments_.rows.model);
  }

 private:
  const Ensemble& ensemble_;
  const OutputsArguments& arguments_;
  std::size_t rows_;
  bool has_targets_;
  std::optional<data::RowFingerprint> fingerprint_;
  std::optional<store::OutputsWriter> writer_;
};

void run(const OutputsArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.rows.model);
  const auto table = open_rows(ensemble, arguments.rows, data::Targets::if_there);
  OutputsOfTable outputs(ensemble, *table, arguments);
  naming_cells(ensemble, *table, [&] {
    for (data::RowBlock rows; table->next(rows);) outputs.add(rows);
  });
  outputs.commit();
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
