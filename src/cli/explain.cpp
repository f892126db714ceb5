// SPDX-License-Identifier: Apache-2.0

#include <credens/explain.hpp>
#include <credens/store.hpp>
#include <nlohmann/json.hpp>

#include <chrono>

#include "cli/files.hpp"
#include "cli/prediction_table.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "model/ensemble_state.hpp"
#include "report/explanation.hpp"

namespace credens::cli {

namespace {

struct ExplainArguments {
  std::string model;
  std::string data;
  std::string background;
  std::size_t draws = 64;
  std::uint64_t seed = 0;
  std::string output;
  ProgressKind progress = ProgressKind::automatic;
  TableFormat format = {};
  bool json = false;
};

void declare(Arguments& arguments, ExplainArguments& explain) {
  arguments.file("MODEL", explain.model, "A model written by `credens fit` or `credens widen`");
  arguments.file("DATA", explain.data,
                 "Table of the rows to explain: text, also compressed, or .npy; - is standard input");
  arguments.group("Explanation");
  arguments.option("--background", "ROWS", explain.background,
                   "Table of rows to compare with, such as those of training; those of DATA if not given");
  arguments.option("--draws", "K", explain.draws,
                   "Pairs of opposite orders of the inputs; errors fall with the root of it",
                   whole_number<std::size_t>(2));
  arguments.option("--seed", "NUMBER", explain.seed, "Seed of orders and background rows",
                   whole_number<std::uint64_t>(0));
  arguments.option("-o,--output", "OUT", explain.output,
                   "CSV file, or array if the name ends with .npy, with what each input contributes to each row; - is "
                   "standard output");
  arguments.option("--progress", "KIND", explain.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--json", explain.json, "Print JSON");
  arguments.group("Rows");
  format_options(arguments, explain.format);
}

void check(const ExplainArguments& arguments) {
  check_standard_input({{"MODEL", arguments.model}, {"DATA", arguments.data}, {"--background", arguments.background}});
  check_not_archive("-o", arguments.output);
  check_not_foreign("-o", arguments.output);
  check_not_input(arguments.output, {arguments.model, arguments.data, arguments.background});
}

void write_rows(const std::string& path, const Explanation& explanation, const model::EnsembleState& state) {
  std::vector<WrittenColumn> columns;
  for (std::string& name : report::explanation_columns(state)) columns.push_back({std::move(name)});
  const Matrix values = report::explanation_values(explanation);
  const MatrixView parts[] = {values};
  TableWriter writer(path, std::move(columns), values.rows());
  writer.write(parts);
  writer.commit();
}

/// Shows rows so far, ten times a second.
Explanation explained(const Ensemble& ensemble, const Matrix& rows, const Matrix& background,
                      const ExplainArguments& arguments) {
  constexpr double pause = 0.1;
  ProgressDisplay display(arguments.progress, 0, "rows");
  const auto start = std::chrono::steady_clock::now();
  double next = 0;
  ExplainOptions options{.background = background, .draws = arguments.draws, .seed = arguments.seed};
  options.on_progress = [&](std::size_t done) {
    const double elapsed = seconds_since(start);
    if (elapsed < next) return;
    next = elapsed + pause;
    const double fraction = static_cast<double>(done) / static_cast<double>(rows.rows());
    display.show({.members_done = done,
                  .members = rows.rows(),
                  .fraction = fraction,
                  .seconds_elapsed = elapsed,
                  .seconds_left = elapsed * (1 - fraction) / fraction});
  };
  return explain(ensemble, rows, options);
}

void run(const ExplainArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  base::require(ensemble.task() == Task::regression, ErrorCode::usage,
                "{} predicts classes; explanations are for models that predict numbers", arguments.model);
  const Matrix rows = ensemble.read_inputs(arguments.data, arguments.format);
  const Matrix background =
      arguments.background.empty() ? Matrix() : ensemble.read_inputs(arguments.background, arguments.format);
  base::require(rows.rows() >= 2 || !arguments.background.empty(), ErrorCode::usage,
                "{} has one row, which needs others to compare it with: give --background", arguments.data);
  const Explanation explanation = explained(ensemble, rows, background, arguments);
  if (!arguments.output.empty()) write_rows(arguments.output, explanation, ensemble.state());
  if (is_standard_output(arguments.output)) return;
  if (arguments.json) return print_json(report::explanation_json(explanation, ensemble.state()));
  std::vector<std::string> texts;
  for (const report::Table& table : report::share_tables(explanation, ensemble.state())) {
    texts.push_back(report::table_text(table));
  }
  print(base::join(texts, "\n"));
}

}  // namespace

Verb explain_verb() {
  return make_verb<ExplainArguments>("explain", "says what each input contributes to mean, noise and ignorance",
                                     {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                      "credens explain model.safetensors test.csv --background train.csv"},
                                     declare, run);
}

}  // namespace credens::cli
