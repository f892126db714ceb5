// SPDX-License-Identifier: Apache-2.0
//
// A README about a model, which model hubs read.

#include <credens/store.hpp>

#include <filesystem>

#include "base/file.hpp"
#include "cli/class_evaluation.hpp"
#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/row_sketch.hpp"
#include "model/ensemble_state.hpp"
#include "report/model_card.hpp"

namespace credens::cli {

namespace {

constexpr const char* usual_name = "README.md";

struct CardArguments : ComparisonArguments {
  std::string name;
  std::string output;
};

void declare(Arguments& arguments, CardArguments& card) {
  comparison_arguments(arguments, card);
  arguments.group("Result");
  arguments.option("--name", "NAME", card.name, "Name of the model; that of its file if not given");
  arguments.option("-o,--output", "CARD.md", card.output,
                   "The card; README.md, which must not be there yet, if not given; - is standard output");
}

bool has_rows(const CardArguments& arguments) {
  return !arguments.data.empty() || !arguments.outputs.empty();
}

void check(CardArguments& arguments) {
  base::require(has_rows(arguments) || !arguments.uncertain.is_given(), ErrorCode::usage,
                "uncertain inputs are given, but no rows of DATA");
  if (has_rows(arguments)) check_arguments(arguments);
  if (arguments.output.empty()) {
    base::require(!std::filesystem::exists(usual_name), ErrorCode::usage,
                  "{} is there already: give -o {} to replace it, or another name", usual_name, usual_name);
    arguments.output = usual_name;
  }
  check_not_archive("-o", arguments.output);
  check_not_input(arguments.output, {arguments.model, arguments.data});
  check_writable(arguments.output);
}

void compare(const Ensemble& ensemble, const CardArguments& arguments, report::CardFacts& facts) {
  check_task(arguments, {}, ensemble.task());
  RowStream stream(ensemble, arguments, data::Targets::needed);
  data::SharedRows trained_on(ensemble.state().row_hashes);
  facts.data_file = arguments.outputs.empty() ? arguments.data : arguments.outputs;
  if (ensemble.task() == Task::classification) {
    facts.classes = compare_classes(ensemble, stream, arguments, {}, trained_on);
    return;
  }
  report::Comparer comparer(ensemble, arguments.interval, largest_weight(stream));
  for_observations(
      ensemble, stream, arguments, [&](const scoring::Observations& rows) { comparer.add(rows); },
      [&](std::size_t, const Rows& rows) {
        trained_on.add(rows.block);
        return true;
      });
  facts.comparison = comparer.comparison();
  facts.comparison->training_share = trained_on.share();
}

void run(const CardArguments& given) {
  CardArguments arguments = given;
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  report::CardFacts facts{.name = arguments.name, .model_file = arguments.model, .level = arguments.interval.level};
  if (has_rows(arguments)) compare(ensemble, arguments, facts);
  base::OutputFile file(arguments.output);
  file.write(report::model_card(ensemble, facts));
  file.commit();
  if (!is_standard_output(arguments.output)) print_lines({{"written to", arguments.output}});
}

}  // namespace

Verb card_verb() {
  return make_verb<CardArguments>("card", "writes a README about a model, which model hubs read",
                                  {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                   "credens card model.safetensors test.csv -o card.md"},
                                  declare, run);
}

}  // namespace credens::cli
