// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>

#include <credens/store.hpp>
#include <nlohmann/json.hpp>

#include "cli/class_evaluation.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/team.hpp"
#include "cli/verbs.hpp"
#include "data/row_sketch.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/comparison.hpp"

namespace credens::cli {

namespace {

struct EvaluateArguments : ComparisonArguments {
  ClassArguments classes = {};
  bool json = false;
};

void declare(Arguments& arguments, EvaluateArguments& evaluate) {
  comparison_arguments(arguments, evaluate);
  class_arguments(arguments, evaluate.classes);
  arguments.toggle("--json", evaluate.json, "Print JSON");
}

/// Ranks take blocks of rows in turn. When each has scored one, rank 0 adds them up in the order of the rows.
void compare(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
             report::Comparer& comparer, data::SharedRows& trained_on) {
  const std::string& file = arguments.outputs.empty() ? arguments.data : arguments.outputs;
  const bool alone = team().is_alone();
  check_same_model(team(), arguments.model, ensemble);
  if (!alone)
    check_agreement(team(), file, {fmt::format("{} rows", stream.count_rows())});  // so that all meet as often
  std::string digits;
  std::string own;
  const auto meet = [&] {
    team().collect(std::exchange(own, {}), [&](std::string_view block) {
      if (!block.empty()) comparer.add_scored(block);
    });
  };
  const auto wants = [&](std::size_t number, const Rows& rows) {
    trained_on.add(rows.block);
    if (!alone) digits = digest(rows, std::move(digits));
    if (number > 0 && number % team().size() == 0) meet();
    return number % team().size() == team().rank();
  };
  for_observations(
      ensemble, stream, arguments, [&](const scoring::Observations& rows) { own = comparer.scored(rows); }, wants);
  meet();
  check_agreement(team(), file, {"rows with checksum " + digits});
}

void print_tables(const std::vector<report::Table>& tables) {
  std::vector<std::string> texts;
  for (const report::Table& table : tables) texts.push_back(report::table_text(table));
  print(base::join(texts, "\n"));
}

void run_classes(const EvaluateArguments& arguments, const Ensemble& ensemble) {
  RowStream stream(ensemble, arguments, data::Targets::needed);
  data::SharedRows trained_on(ensemble.state().row_hashes);
  const report::ClassComparison comparison =
      compare_classes(ensemble, stream, arguments, arguments.classes, trained_on);
  if (!team().leads()) return;
  const report::ClassModelNames names{ensemble.classes(), std::string(base::name_of(ensemble.posterior()))};
  if (arguments.json) return print_json(report::class_comparison_json(comparison, names));
  print_training_warning(comparison.training_share);
  print_tables(report::class_comparison_tables(comparison, names));
}

void run(const EvaluateArguments& arguments) {
  check_arguments(arguments);
  const Ensemble ensemble = load(arguments.model);
  check_task(arguments, arguments.classes, ensemble.task());
  if (ensemble.task() == Task::classification) return run_classes(arguments, ensemble);
  RowStream stream(ensemble, arguments, data::Targets::needed);
  report::Comparer comparer(ensemble, arguments.interval, largest_weight(stream));
  data::SharedRows trained_on(ensemble.state().row_hashes);
  compare(ensemble, stream, arguments, comparer, trained_on);
  if (!team().leads()) return;
  report::Comparison comparison = comparer.comparison();
  comparison.training_share = trained_on.share();
  const double level = arguments.interval.level;
  if (arguments.json) return print_json(report::comparison_json(comparison, ensemble, level));
  print_training_warning(comparison.training_share);
  print_tables(report::comparison_tables(comparison, ensemble, level));
}

}  // namespace

Verb evaluate_verb() {
  return spread(make_verb<EvaluateArguments>(
      "evaluate", "scores predictions against observed targets, classical and extended side by side",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens evaluate model.safetensors test.csv"},
      declare, run));
}

}  // namespace credens::cli
