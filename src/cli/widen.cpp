// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>
#include <credens/widen.hpp>

#include <cmath>

#include "cli/columns.hpp"
#include "cli/expectations.hpp"
#include "cli/files.hpp"
#include "cli/rows.hpp"
#include "cli/summary.hpp"
#include "cli/verbs.hpp"
#include "data/make_dataset.hpp"
#include "data/row_source.hpp"
#include "learn/widen_rows.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

struct WidenArguments {
  std::string model;
  std::string train;
  std::string outputs;
  std::string output;
  std::vector<std::string> target;
  std::string weight;
  std::vector<std::string> noise_std;
  TableFormat format;
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
  arguments.option<PosteriorKind>("--posterior", "KIND", options.posterior,
                                  "delta, isotropic, diagonal or full; what `fit` chose if not given, else isotropic",
                                  one_of<PosteriorKind>());
  arguments.add({.names = "--lambda",
                 .value = "NUMBER|evidence",
                 .help = "Prior precision, or evidence to find the most probable one; that of training if not given",
                 .set = [&options](const std::string& text) { set_lambda(options, text); }});
  arguments.add({.names = "--random-bias",
                 .help = "Let the posterior cover the last layer's bias too; what `fit` chose if not given, else off",
                 .has_opposite = true,
                 .set = [&options](const std::string& text) { options.random_bias = text == "true"; }});
  arguments.option("--threads", "COUNT", options.threads, "Threads; 0 takes all cores and none changes the result",
                   whole_number(0));
}

void declare(Arguments& arguments, WidenArguments& widen) {
  arguments.optional_file("MODEL", widen.model, "A model that `credens fit` or `credens widen` wrote");
  arguments.optional_file("TRAIN", widen.train, "The table that it was trained on; - is standard input");
  arguments.option<std::string>("-o,--output", "MODEL", widen.output, "The widened model", {}).required = true;
  arguments.toggle("--json", widen.json, "Print the summary as JSON");
  declare_posterior(arguments, widen.options);
  arguments.group("Table");
  arguments.option<std::string>("--outputs", "DIR", widen.outputs,
                                "Folder with the arrays of networks trained elsewhere, in place of MODEL and TRAIN",
                                {});
  columns_option(arguments, "--target", widen.target, "Target columns, where they are not called as in training");
  column_option(arguments, "--weight", widen.weight, "Column of row weights, to be given as it was to `fit`");
  columns_option(
      arguments, "--noise-std", widen.noise_std,
      "Columns with the known standard deviation of each row's noise, where they are not called as in training");
  format_options(arguments, widen.format);
}

void check(const WidenArguments& arguments) {
  check_not_input(arguments.output, {arguments.train});
  if (arguments.outputs.empty()) {
    base::require(!arguments.model.empty(), ErrorCode::usage,
                  "MODEL is missing: give a model and its training table, or --outputs");
    base::require(!arguments.train.empty(), ErrorCode::usage, "TRAIN is missing: give the table that {} was trained on",
                  arguments.model);
    check_standard_input({{"MODEL", arguments.model}, {"TRAIN", arguments.train}});
    return;
  }
  base::require(arguments.model.empty(), ErrorCode::usage, "both MODEL and --outputs are given, expected one of them");
  base::require(arguments.target.empty() && arguments.weight.empty() && arguments.noise_std.empty(), ErrorCode::usage,
                "columns are named, but --outputs gives arrays");
}

/// The rows of TRAIN in the roles that the model knows.
class ModelRows : public data::RowSource {
 public:
  ModelRows(const Ensemble& ensemble, const WidenArguments& arguments)
      : ensemble_(ensemble), arguments_(arguments), stream_(ensemble, row_arguments_of(arguments)) {
    const bool has_noise = ensemble.state().known_noise || !arguments.noise_std.empty();
    layout_.inputs = Matrix(0, ensemble.inputs());
    layout_.targets = Matrix(0, ensemble.outputs());
    layout_.noise_std = Matrix(0, has_noise ? ensemble.outputs() : 0);
    layout_.input_names = ensemble.input_names();
    layout_.target_names = ensemble.target_names();
  }

  const DatasetParts& layout() const override { return layout_; }
  bool has_weights() const override { return !arguments_.weight.empty(); }
  std::size_t count_rows() override { return stream_.count_rows(); }

  bool next(data::RowBlock& block) override {
    const Rows* rows = stream_.next();
    if (rows == nullptr) {
      if (has_weights()) data::check_weight_total(weight_total_, stream_.header().source);
      return false;
    }
    targets_ = targets_of(ensemble_, *rows, arguments_.target);
    weights_ = weights_of(rows->table, arguments_.weight);
    for (const double weight : weights_) weight_total_ += weight;
    check_variances(*rows);
    block = {.first_row = rows->table.first_row,
             .inputs = rows->inputs,
             .targets = targets_,
             .weights = weights_,
             .noise_std = rows->noise_std};
    return true;
  }

  void rewind() override {
    stream_.rewind();
    weight_total_ = 0;
  }

 private:
  static RowArguments row_arguments_of(const WidenArguments& arguments) {
    return {.model = arguments.model,
            .data = arguments.train,
            .outputs = {},
            .noise_std = arguments.noise_std,
            .format = arguments.format};
  }

  static void check_variances(const Rows& rows) {
    for (std::size_t row = 0; row < rows.noise_std.rows(); ++row) {
      for (const double noise : rows.noise_std.row(row)) {
        base::require(std::isnormal(noise * noise), ErrorCode::data,
                      "{}: the noise of row {} is {}, whose square is no usable variance", rows.table.source,
                      rows.table.first_row + row, noise);
      }
    }
  }

  const Ensemble& ensemble_;
  const WidenArguments& arguments_;
  RowStream stream_;
  DatasetParts layout_;
  Matrix targets_;               ///< of the block
  std::vector<double> weights_;  ///< of the block
  double weight_total_ = 0;
};

Ensemble widen_model(const WidenArguments& arguments) {
  const Ensemble ensemble = load(arguments.model);
  base::require(ensemble.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks: widen its arrays with --outputs", arguments.model);
  ModelRows train(ensemble, arguments);
  const Ensemble wide =
      naming(arguments.model, ErrorCode::model, [&] { return learn::widen(ensemble, train, arguments.options); });
  warn_unless_trained_on(ensemble, wide.state().data.fingerprint, arguments.train, arguments.model);
  return wide;
}

/// What is given beats what the folder says.
Ensemble widen_arrays(const WidenArguments& arguments) {
  const OutputsFolder folder = load_outputs(arguments.outputs);
  WidenOptions options = arguments.options;
  if (!options.evidence && !options.prior_precision) options.prior_precision = folder.prior_precision;
  return widen(folder.outputs, options);
}

void run(const WidenArguments& arguments) {
  check(arguments);
  const Ensemble wide = arguments.outputs.empty() ? widen_model(arguments) : widen_arrays(arguments);
  save(wide, arguments.output);
  print_summary(wide, arguments.output, arguments.json);
}

}  // namespace

Verb widen_verb() {
  return make_verb<WidenArguments>(
      "widen", "gives the members of a model another posterior, without retraining",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens widen model.safetensors train.csv --posterior full --lambda evidence -o full.safetensors"},
      declare, run);
}

}  // namespace credens::cli
