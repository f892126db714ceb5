// SPDX-License-Identifier: Apache-2.0
//
// One page about a model and rows with known targets.

#include <credens/store.hpp>

#include <set>

#include "base/file.hpp"
#include "cli/comparison.hpp"
#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "report/model_page.hpp"
#include "report/number.hpp"

namespace credens::cli {

namespace {

struct ReportArguments {
  ComparisonArguments comparison;
  std::string output;
};

void declare(Arguments& arguments, ReportArguments& report) {
  comparison_arguments(arguments, report.comparison);
  arguments.group("Result");
  arguments.option<std::string>("-o,--output", "REPORT.html", report.output, "The page; - is standard output", {})
      .required = true;
}

void check(const ReportArguments& arguments) {
  check_arguments(arguments.comparison);
  check_not_archive("-o", arguments.output);
  check_not_input(arguments.output, {arguments.comparison.rows.model, arguments.comparison.rows.data});
  check_writable(arguments.output);
}

/// A second pass over the data: only now is it known which rows are shown.
report::RowPlaces places_of(RowStream& stream, const std::set<std::size_t>& wanted) {
  report::RowPlaces places;
  stream.rewind();
  std::size_t first = 0;
  while (const Rows* rows = stream.next()) {
    if (rows->arrays) break;
    places.first = rows->block.table->first_line;
    if (places.first > 0) places.word = "line";
    for (auto row = wanted.lower_bound(first); row != wanted.end() && *row < first + rows->count(); ++row) {
      const auto inputs = rows->block.inputs.row(*row - first);
      places.inputs[*row].assign(inputs.begin(), inputs.end());
    }
    first += rows->count();
  }
  return places;
}

void write_page(const std::string& path, const report::Page& page) {
  base::OutputFile file(path);
  file.write(report::render_page(page));
  file.commit();
}

void run(const ReportArguments& arguments) {
  check(arguments);
  const ComparisonArguments& given = arguments.comparison;
  const Ensemble ensemble = load(given.rows.model);
  RowStream stream(ensemble, given.rows, data::Targets::needed);
  report::ReportBuilder builder(ensemble, given.interval, largest_weight(stream));
  for_observations(ensemble, stream, given, [&](const scoring::Observations& rows) { builder.add(rows); });
  report::ReportContent content = builder.content();
  content.model_name = given.rows.model;
  content.data_name = given.rows.outputs.empty() ? given.rows.data : given.rows.outputs;
  content.places = places_of(stream, report::shown_rows(content));
  write_page(arguments.output, report::model_page(content));
  if (is_standard_output(arguments.output)) return;
  print_lines({{"rows", fmt::format("{}", content.comparison.rows)},
               {"coverage", fmt::format("{}, level {}", report::percent(content.comparison.extended.total_coverage),
                                        base::to_text(given.interval.level))},
               {"written to", arguments.output}});
}

}  // namespace

Verb report_verb() {
  return make_verb<ReportArguments>("report", "draws a page of charts: how good predictions are, and what is not known",
                                    {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                     "credens report model.safetensors test.csv -o report.html"},
                                    declare, run);
}

}  // namespace credens::cli
