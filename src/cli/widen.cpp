// SPDX-License-Identifier: Apache-2.0

#include <credens/outputs_folder.hpp>
#include <credens/outputs_widening.hpp>
#include <credens/store.hpp>

#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/team.hpp"
#include "cli/verbs.hpp"
#include "learn/widen.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

/// TRAIN stands in the place of DATA.
struct WidenArguments : RowArguments {
  std::string output;
  WidenOptions options;
  bool json = false;
};

void set_lambda(WidenOptions& options, const std::string& text) {
  options.evidence = text == "evidence";
  if (options.evidence) return;
  const Expected<double> expected{.text = "a number from 0, or evidence",
                                  .holds = [](const double& value) { return value >= 0; }};
  options.prior_precision = parse_value("--lambda", text, expected);
}

void declare_posterior(Arguments& arguments, WidenOptions& options) {
  arguments.group("Posterior");
  arguments.option(
      "--posterior", "KIND", options.posterior,
      "delta, isotropic, diagonal or full; if not given, as in `fit`, for arrays isotropic or, of classes, full",
      one_of<PosteriorKind>());
  arguments.add({.names = "--lambda",
                 .value = "NUMBER|evidence",
                 .help = "Prior precision, or evidence to find the most probable one; that of training if not given",
                 .set = [&options](const std::string& text) { set_lambda(options, text); }});
  arguments.add({.names = "--random-bias",
                 .help = "Include the last layer's bias in the posterior; if not given, as in `fit`, else off",
                 .has_opposite = true,
                 .set = [&options](const std::string& text) { options.random_bias = text == "true"; }});
  arguments.option("--threads", "COUNT", options.threads,
                   "Threads (0: all cores); the result is the same for any number", whole_number(0));
}

void declare(Arguments& arguments, WidenArguments& widen) {
  arguments.file("MODEL", widen.model, "A model written by `credens fit` or `credens widen`").required = false;
  arguments.file("TRAIN", widen.data, "Table that the model was trained on; - is standard input").required = false;
  arguments.option("-o,--output", "MODEL", widen.output, "The widened model").required = true;
  arguments.toggle("--json", widen.json, "Print the summary as JSON");
  declare_posterior(arguments, widen.options);
  arguments.group("Table");
  arguments.option("--outputs", "DIR", widen.outputs,
                   "Folder with the arrays of networks trained elsewhere, in place of MODEL and TRAIN");
  train_options(arguments, widen);
}

void check(const WidenArguments& arguments) {
  check_not_input(arguments.output, {arguments.data});
  if (arguments.outputs.empty()) {
    base::require(!arguments.model.empty(), ErrorCode::usage,
                  "MODEL is missing: give a model and its training table, or --outputs");
    base::require(!arguments.data.empty(), ErrorCode::usage, "TRAIN is missing: give the table that {} was trained on",
                  arguments.model);
    check_standard_input({{"MODEL", arguments.model}, {"TRAIN", arguments.data}});
    return;
  }
  base::require(arguments.model.empty(), ErrorCode::usage, "both MODEL and --outputs are given, expected one of them");
  base::require(arguments.columns.empty(), ErrorCode::usage, "columns are named, but --outputs gives arrays");
}

Ensemble widen_model(const WidenArguments& arguments) {
  const Ensemble ensemble = load(arguments.model);
  base::require(ensemble.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks: widen its arrays with --outputs", arguments.model);
  check_same_model(team(), arguments.model, ensemble);
  const auto train = open_rows(ensemble, arguments, data::Targets::needed);
  if (!team().is_alone()) {  // before anyone waits for a block that another rank does not have
    check_agreement(team(), arguments.data, {fmt::format("{} rows", train->count_rows())});
  }
  const Ensemble wide = naming(arguments.model, ErrorCode::model, [&] {
    return naming_cells(ensemble, *train, [&] { return learn::widen(ensemble, *train, arguments.options, team()); });
  });
  print_warnings(train->warnings());
  check_agreement(team(), arguments.data, {"rows with fingerprint " + wide.state().data.fingerprint});
  warn_unless_trained_on(ensemble, wide.state().data.fingerprint, arguments.data, arguments.model);
  return wide;
}

/// Given options override those of the folder.
Ensemble widen_arrays(const WidenArguments& arguments) {
  OutputsReader reader(arguments.outputs);
  WidenOptions options = arguments.options;
  if (!options.evidence && !options.prior_precision) options.prior_precision = reader.prior_precision();
  OutputsWidening widening(options, reader.about());
  for (std::size_t first = 0; first == 0 || first < reader.rows(); first += reader.block_rows()) {
    widening.add(reader.read(first, reader.block_rows()));
  }
  return widening.finish();
}

void run(const WidenArguments& arguments) {
  check(arguments);
  const Ensemble wide = arguments.outputs.empty() ? widen_model(arguments) : widen_arrays(arguments);
  if (team().leads()) save(wide, arguments.output);
  print_summary(wide, arguments.output, {.json = arguments.json});
}

}  // namespace

Verb widen_verb() {
  return spread(make_verb<WidenArguments>(
      "widen", "computes another posterior for the members of a model, without retraining",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens widen model.safetensors train.csv --posterior full --lambda evidence -o full.safetensors"},
      declare, run));
}

}  // namespace credens::cli
