// SPDX-License-Identifier: Apache-2.0

#include <credens/guarantee.hpp>
#include <credens/store.hpp>

#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/promised_rows.hpp"
#include "cli/verbs.hpp"
#include "report/promise_summary.hpp"

namespace credens::cli {

namespace {

struct CalibrateArguments : RowArguments {
  std::string output;
  std::string by;
  std::string train;
  double level = CalibrateOptions().level;
  bool json = false;
};

constexpr std::string_view by_ignorance = "ignorance";

void declare(Arguments& arguments, CalibrateArguments& calibrate) {
  row_arguments(arguments, calibrate);
  target_option(arguments, calibrate.columns);
  arguments.group("Result");
  arguments.option("-o,--output", "MODEL", calibrate.output, "The calibrated model").required = true;
  arguments.toggle("--json", calibrate.json, "Print the summary as JSON");
  arguments.group("Promise");
  arguments.option("--by", "COL|ignorance", calibrate.by,
                   "A promise for each value of this column, or for low, middle and high ignorance of the model");
  arguments.option("--level", "P", calibrate.level,
                   "The highest level that will be asked for: fewer rows than it needs are refused", probability());
  arguments.group("Trust");
  arguments.option("--train", "TRAIN", calibrate.train,
                   "The training table: the model keeps inputs of its rows and of DATA for `check` and `predict --trust`");
}

void check(const CalibrateArguments& arguments) {
  check_arguments(arguments);
  check_not_input(arguments.output, {arguments.data});
  base::require(arguments.by.empty() || arguments.by == by_ignorance || arguments.outputs.empty(), ErrorCode::usage,
                "--by names a column, but --outputs gives arrays");
  base::require(arguments.train.empty() || arguments.outputs.empty(), ErrorCode::usage,
                "--train gives a table to compare inputs with, but --outputs gives arrays");
  check_standard_input({{"MODEL", arguments.model}, {"DATA", arguments.data}, {"--train", arguments.train}});
  check_not_input(arguments.output, {arguments.train});
}

CalibrateOptions options_of(const CalibrateArguments& arguments) {
  const bool is_by_ignorance = arguments.by == by_ignorance;
  return {.level = arguments.level,
          .column = is_by_ignorance ? "" : arguments.by,
          .by_ignorance = is_by_ignorance};
}

Calibration read_rows(const Ensemble& ensemble, const CalibrateArguments& given) {
  const CalibrateOptions options = options_of(given);
  Calibration calibration(ensemble, options);
  CalibrateArguments arguments = given;
  if (!options.column.empty()) arguments.keep = {options.column};
  RowStream stream(ensemble, arguments, data::Targets::needed, data::Passes::one);
  while (const Rows* rows = stream.next()) {
    const std::vector<std::string> names =
        options.column.empty() ? std::vector<std::string>() : group_names(*rows, options.column);
    calibration.add(rows->block.inputs, stream.predict(), rows->block.targets, names);
  }
  return calibration;
}

/// Rows of the table that the model was made from.
void read_training(const Ensemble& ensemble, const CalibrateArguments& given, Calibration& calibration) {
  RowArguments arguments = given;
  arguments.data = given.train;
  RowStream stream(ensemble, arguments, data::Targets::needed, data::Passes::one);
  while (const Rows* rows = stream.next()) {
    stream.check_range();
    calibration.add_training(rows->block.inputs, rows->block.targets);
  }
}

void warn_of_repeats(const Calibration& calibration) {
  if (calibration.rows_of_training() == 0) return;
  print_error(fmt::format("credens: warning: {} of {} rows that can be recognised are also rows of training",
                          calibration.rows_of_training(), calibration.recognisable_rows()));
}

void print_promise(const Ensemble& calibrated, const CalibrateArguments& arguments) {
  if (is_standard_output(arguments.output)) return;
  if (arguments.json) {
    Json document = report::promise_json(calibrated, arguments.level);
    document["file"] = arguments.output;
    return print_json(document);
  }
  print(report::promise_sentences(calibrated, arguments.level) + "\n");
  print(report::table_text(report::promise_table(calibrated, arguments.level)) + "\n");
  print_lines({{"written to", arguments.output}});
}

void run(const CalibrateArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  Calibration calibration = read_rows(ensemble, arguments);
  if (!arguments.train.empty()) read_training(ensemble, arguments, calibration);
  const Ensemble calibrated = calibration.finish();
  warn_of_repeats(calibration);
  save(calibrated, arguments.output);
  print_promise(calibrated, arguments);
}

}  // namespace

Verb calibrate_verb() {
  return make_verb<CalibrateArguments>(
      "calibrate", "learns from rows that the model has not seen what intervals can be promised",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens calibrate model.safetensors test.csv --level 0.8 -o calibrated.safetensors",
       "credens predict calibrated.safetensors test.csv --interval guaranteed --level 0.8 -o predictions.csv"},
      declare, run);
}

}  // namespace credens::cli
