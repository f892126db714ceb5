// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>

#include <credens/store.hpp>
#include <nlohmann/json.hpp>

#include "cli/agreement.hpp"
#include "cli/comparison.hpp"
#include "cli/print.hpp"
#include "cli/team.hpp"
#include "cli/verbs.hpp"
#include "report/comparison.hpp"

namespace credens::cli {

namespace {

struct EvaluateArguments {
  ComparisonArguments comparison;
  bool json = false;
};

void declare(Arguments& arguments, EvaluateArguments& evaluate) {
  comparison_arguments(arguments, evaluate.comparison);
  arguments.toggle("--json", evaluate.json, "Print JSON");
}

void print_tables(const std::vector<report::Table>& tables) {
  std::vector<std::string> texts;
  for (const report::Table& table : tables) texts.push_back(report::table_text(table));
  print(base::join(texts, "\n"));
}

/// Ranks take blocks of rows in turn. When each has scored one, rank 0 adds them up in the order of the rows.
void compare_in_team(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
                     report::Comparer& comparer) {
  const std::string& file = arguments.rows.outputs.empty() ? arguments.rows.data : arguments.rows.outputs;
  check_same_model(team(), arguments.rows.model, ensemble);
  check_agreement(team(), file, {fmt::format("{} rows", stream.count_rows())});  // so that all meet as often
  RowDigest digest;
  std::string own;
  const auto meet = [&] {
    team().collect(std::exchange(own, {}), [&](std::string_view block) {
      if (!block.empty()) comparer.add_scored(block);
    });
  };
  const auto wants = [&](std::size_t number, const Rows& rows) {
    digest.add(rows);
    if (number > 0 && number % team().size() == 0) meet();
    return number % team().size() == team().rank();
  };
  for_observations(
      ensemble, stream, arguments, [&](const scoring::Observations& rows) { own = comparer.scored(rows); }, wants);
  meet();
  check_agreement(team(), file, {"rows with checksum " + digest.digits()});
}

void run(const EvaluateArguments& arguments) {
  check_arguments(arguments.comparison);
  const Ensemble ensemble = load(arguments.comparison.rows.model);
  RowStream stream(ensemble, arguments.comparison.rows, data::Targets::needed);
  report::Comparer comparer(ensemble, arguments.comparison.interval, largest_weight(stream));
  if (team().is_alone()) {
    for_observations(ensemble, stream, arguments.comparison,
                     [&](const scoring::Observations& rows) { comparer.add(rows); });
  } else {
    compare_in_team(ensemble, stream, arguments.comparison, comparer);
    if (!team().leads()) return;
  }
  const report::Comparison comparison = comparer.comparison();
  if (arguments.json) {
    print_json(report::comparison_json(comparison, ensemble, arguments.comparison.interval.level));
  } else {
    print_tables(report::comparison_tables(comparison, ensemble, arguments.comparison.interval.level));
  }
}

}  // namespace

Verb evaluate_verb() {
  return spread(make_verb<EvaluateArguments>(
      "evaluate", "scores predictions against what was observed, classical and extended side by side",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens evaluate model.safetensors test.csv"},
      declare, run));
}

}  // namespace credens::cli
