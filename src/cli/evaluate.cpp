// SPDX-License-Identifier: Apache-2.0

#include <credens/score.hpp>
#include <credens/store.hpp>

#include "cli/comparison.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"

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

void run(const EvaluateArguments& arguments) {
  check_arguments(arguments.comparison);
  const Ensemble ensemble = load(arguments.comparison.rows.model);
  RowStream stream(ensemble, arguments.comparison.rows);
  const Observations observed = observe(ensemble, stream, arguments.comparison);
  const report::Comparison comparison = report::compare(ensemble, observed.predictive, observed.target_rows(),
                                                        score_options(observed, arguments.comparison));
  if (arguments.json) {
    print_json(report::comparison_json(comparison, ensemble, arguments.comparison.level));
  } else {
    print_tables(report::comparison_tables(comparison, ensemble, arguments.comparison.level));
  }
}

}  // namespace

Verb evaluate_verb() {
  return make_verb<EvaluateArguments>(
      "evaluate", "scores predictions against what was observed, classical and extended side by side",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens evaluate model.safetensors test.csv"},
      declare, run);
}

}  // namespace credens::cli
