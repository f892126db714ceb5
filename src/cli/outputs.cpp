// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include <optional>

#include "cli/class_evaluation.hpp"
#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/fingerprint.hpp"
#include "model/ensemble_state.hpp"
#include "store/outputs_writer.hpp"

namespace credens::cli {

namespace {

struct OutputsArguments : RowArguments {
  std::string folder;
};

void declare(Arguments& arguments, OutputsArguments& outputs) {
  arguments.file("MODEL", outputs.model, "A model written by `credens fit` or `credens widen`");
  arguments.file("DATA", outputs.data, "Table of rows: text, also compressed, or .npy; - is standard input");
  arguments.option("-o,--output", "DIR", outputs.folder, "Folder for the arrays").required = true;
  arguments.group("Rows");
  train_options(arguments, outputs);
}

void check(const OutputsArguments& arguments) {
  check_arguments(arguments);
  check_folder("-o", arguments.folder);
}

/// Lambda of the training: a model that was widened again may have another one in its posterior.
double trained_precision(const Ensemble& ensemble) {
  const auto stored = model::stored_option(ensemble.state(), "lambda");
  return (stored ? base::parse_double(*stored) : std::nullopt).value_or(ensemble.prior_precision());
}

/// In network units; of classes their numbers or shares.
Matrix network_targets(const Ensemble& ensemble, const data::RowSource& table, const data::RowBlock& rows) {
  const model::EnsembleState& state = ensemble.state();
  if (!state.schema.is_classification()) return data::scaled(state.target_scaler, rows.targets);
  return class_targets(data::Classes(state.schema), table.schema(), rows);
}

/// Arrays say beforehand how many rows they have. Rows without target teach nothing and are left out.
std::size_t rows_with_targets(data::RowSource& table) {
  data::CompleteRows seen;
  for (data::RowBlock rows; table.next(rows);) seen.take(rows);
  table.rewind();
  return seen.rows() - seen.left_out();
}

/// As many rows as in training are most likely those: then their weights and noise should be those of training too.
void run(const OutputsArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  const auto table = open_rows(ensemble, arguments, data::Targets::if_there);
  const std::size_t count = table->count_rows();
  const std::size_t complete = data::positions_of(table->schema().targets).empty() ? 0 : rows_with_targets(*table);
  const bool has_targets = complete > 0;
  data::CompleteRows kept;
  NewWords new_words(ensemble.state().schema);
  std::optional<data::RowFingerprint> fingerprint;
  if (has_targets && count == ensemble.state().data.rows) fingerprint.emplace(table->schema(), count);
  std::optional<store::OutputsWriter> writer;
  naming_cells(ensemble, *table, [&] {
    for (data::RowBlock rows; table->next(rows);) {
      if (fingerprint) fingerprint->add(rows);
      if (has_targets) kept.take(rows);
      if (rows.rows() == 0 && has_targets) continue;
      new_words.count(rows.inputs);
      MemberOutputs outputs = ensemble.member_outputs(rows.inputs, {.noise_std = rows.noise_std});
      outputs.row_weights.assign(rows.weights.begin(), rows.weights.end());
      if (has_targets) outputs.targets = network_targets(ensemble, *table, rows);
      if (!writer) writer.emplace(arguments.folder, outputs, trained_precision(ensemble), has_targets ? complete : count);
      writer->add(outputs);
    }
  });
  writer->commit();
  print_warnings(table->warnings());
  new_words.warn();
  if (kept.left_out() > 0) print_error("credens: warning: " + data::left_out_sentence(kept.left_out(), kept.rows()));
  if (!fingerprint) return;
  warn_unless_trained_on(ensemble, fingerprint->digits(), arguments.data, arguments.model);
}

}  // namespace

Verb outputs_verb() {
  return make_verb<OutputsArguments>("outputs", "writes the outputs of each member for given rows, for other programs",
                                     {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                      "credens outputs model.safetensors train.csv -o arrays",
                                      "credens widen --outputs arrays --posterior full -o full.safetensors"},
                                     declare, run);
}

}  // namespace credens::cli
