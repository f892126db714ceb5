// SPDX-License-Identifier: Apache-2.0
//
// One page about a model and rows with known targets.

#include <credens/store.hpp>

#include <set>

#include "base/file.hpp"
#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/row_sketch.hpp"
#include "model/ensemble_state.hpp"
#include "report/model_page.hpp"

namespace credens::cli {

namespace {

struct ReportArguments : ComparisonArguments {
  std::string output;
};

void declare(Arguments& arguments, ReportArguments& report) {
  comparison_arguments(arguments, report);
  arguments.group("Result");
  arguments.option("-o,--output", "REPORT.html", report.output, "The page; - is standard output").required = true;
}

void check(const ReportArguments& arguments) {
  check_arguments(arguments);
  check_not_archive("-o", arguments.output);
  check_not_input(arguments.output, {arguments.model, arguments.data});
  check_writable(arguments.output);
}

/// A second pass over the data: only now is it known which rows are shown.
report::RowPlaces places_of(RowStream& stream, const std::set<std::size_t>& wanted) {
  report::RowPlaces places;
  stream.rewind();
  std::size_t first = 0;
  while (const Rows* rows = stream.next()) {
    if (rows->arrays) break;
    const std::size_t first_line = rows->block.table->first_line;
    if (first_line > 0) places.word = "line";
    for (auto row = wanted.lower_bound(first); row != wanted.end() && *row < first + rows->count(); ++row) {
      const auto inputs = rows->block.inputs.row(*row - first);
      places.inputs[*row].assign(inputs.begin(), inputs.end());
      places.numbers[*row] = first_line + rows->block.first_row + rows->block.table_row(*row - first);
    }
    first += rows->count();
  }
  return places;
}

void run(const ReportArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  require_numbers(ensemble, arguments.model, "report");
  RowStream stream(ensemble, arguments, data::Targets::needed);
  report::ModelReport judged(ensemble, arguments.interval, largest_weight(stream));
  data::SharedRows trained_on(ensemble.state().row_hashes);
  for_observations(
      ensemble, stream, arguments, [&](const scoring::Observations& rows) { judged.add(rows); },
      [&](std::size_t, const Rows& rows) {
        trained_on.add(rows.block);
        return true;
      });
  judged.set_training_share(trained_on.share());
  const report::RowPlaces places = places_of(stream, judged.shown_rows());
  const std::string& data = arguments.outputs.empty() ? arguments.data : arguments.outputs;
  base::OutputFile file(arguments.output);
  file.write(report::render_page(judged.page(arguments.model, data, places)));
  file.commit();
  if (is_standard_output(arguments.output)) return;
  const report::Comparison comparison = judged.comparison();
  print_training_warning(comparison.training_share);
  print_lines({{"rows", fmt::format("{}", comparison.rows)},
               {"coverage", fmt::format("{}, level {}", report::percent(comparison.extended.total_coverage),
                                        base::to_text(arguments.interval.level))},
               {"written to", arguments.output}});
}

}  // namespace

Verb report_verb() {
  return make_verb<ReportArguments>("report", "writes a page of charts of errors, calibration and uncertainty",
                                    {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                     "credens report model.safetensors test.csv -o report.html"},
                                    declare, run);
}

}  // namespace credens::cli
