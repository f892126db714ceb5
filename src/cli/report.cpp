// SPDX-License-Identifier: Apache-2.0
//
// One page about a model and rows, whose targets are known; those of classes need not be.

#include <credens/store.hpp>

#include <set>

#include "base/file.hpp"
#include "cli/class_evaluation.hpp"
#include "cli/files.hpp"
#include "cli/kept.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/row_sketch.hpp"
#include "math/normal.hpp"
#include "model/ensemble_state.hpp"
#include "report/confusions.hpp"
#include "report/model_page.hpp"

namespace credens::cli {

namespace {

struct ReportArguments : ComparisonArguments {
  ClassArguments classes = {};
  std::optional<double> coverage_factor = {};
  std::string output;
  std::string title;
  std::string date;

  /// With the level that the coverage factor stands for.
  scoring::IntervalOptions intervals() const {
    if (!coverage_factor) return interval;
    return {.level = 2 * math::normal_cdf(*coverage_factor) - 1, .kind = interval.kind};
  }

  report::PageNames names() const {
    return {.model = model, .data = outputs.empty() ? data : outputs, .title = title, .date = date};
  }
};

void declare(Arguments& arguments, ReportArguments& report) {
  comparison_arguments(arguments, report);
  foreign_argument(arguments, report.classes);
  arguments.group("Intervals");
  arguments.option("--coverage-factor", "K", report.coverage_factor,
                   "Intervals mean +- K standard deviations, in place of a level", positive_number());
  arguments.group("Result");
  arguments.option("-o,--output", "REPORT.html", report.output, "The page; - is standard output").required = true;
  arguments.option("--title", "TEXT", report.title, "Title of the page");
  arguments.option("--date", "TEXT", report.date,
                   "Date on the page; if not given today's, or that of SOURCE_DATE_EPOCH if this is set");
  columns_option(arguments, "--keep", report.keep, "Columns of DATA to show beside the rows that the page names");
}

void check(const ReportArguments& arguments) {
  check_arguments(arguments);
  base::require(arguments.keep.empty() || arguments.outputs.empty(), ErrorCode::usage,
                "--keep names columns, but --outputs gives arrays");
  base::require(!arguments.coverage_factor || arguments.interval.kind == IntervalKind::gaussian, ErrorCode::usage,
                "--coverage-factor needs gaussian intervals, but --interval is mixture");
  check_not_archive("-o", arguments.output);
  check_not_input(arguments.output, {arguments.model, arguments.data});
  check_writable(arguments.output);
}

std::vector<std::string> kept_headings(const Rows& rows, const std::vector<std::string>& columns) {
  std::vector<std::string> headings;
  for (const std::string& column : columns) headings.push_back(kept_heading(*rows.block.table, column));
  return headings;
}

std::vector<std::string> kept_cells(const Rows& rows, std::size_t table_row, const std::vector<std::string>& columns) {
  std::vector<std::string> cells;
  for (const std::string& column : columns) {
    const std::size_t col = data::find_column(*rows.block.table, column);
    cells.push_back(kept_text(rows, col, rows.block.table->values(table_row, col)));
  }
  return cells;
}

/// A second pass over the data: only now is it known which rows are shown.
report::RowPlaces places_of(RowStream& stream, const std::set<std::size_t>& wanted,
                            const std::vector<std::string>& keep) {
  report::RowPlaces places;
  stream.rewind();
  std::size_t first = 0;
  while (const Rows* rows = stream.next()) {
    if (rows->arrays) break;
    places.sample.add(rows->block.inputs, rows->block.noise_std);
    const std::size_t first_line = rows->block.table->first_line;
    if (first_line > 0) places.word = "line";
    if (places.kept_names.empty()) places.kept_names = kept_headings(*rows, keep);
    for (auto row = wanted.lower_bound(first); row != wanted.end() && *row < first + rows->count(); ++row) {
      const auto inputs = rows->block.inputs.row(*row - first);
      places.inputs[*row].assign(inputs.begin(), inputs.end());
      const std::size_t table_row = rows->block.table_row(*row - first);
      places.numbers[*row] = first_line + rows->block.first_row + table_row;
      if (!keep.empty()) places.kept[*row] = kept_cells(*rows, table_row, keep);
    }
    first += rows->count();
  }
  return places;
}

void write_page(const ReportArguments& arguments, const report::Page& page) {
  base::OutputFile file(arguments.output);
  file.write(report::render_page(page));
  file.commit();
}

void run_classes(const ReportArguments& arguments, const Ensemble& ensemble) {
  RowStream stream(ensemble, arguments, data::Targets::if_there);
  const report::ClassReport judged = report_classes(ensemble, stream, arguments, arguments.classes);
  const report::RowPlaces places = places_of(stream, judged.shown_rows(), arguments.keep);
  write_page(arguments, judged.page(arguments.names(), places));
  if (is_standard_output(arguments.output)) return;
  Lines lines = {{"rows", fmt::format("{}", judged.rows())}};
  if (stream.has_targets()) {
    const report::ClassComparison comparison = judged.comparison();
    const report::ConstantScores constant = report::constant_scores(comparison.extended.confusion);
    const ClassScores& scores = comparison.extended.scores;
    print_training_warning(comparison.training_share);
    lines.emplace_back("log loss", fmt::format("{}, of a constant prediction {}", report::significant(scores.log_loss),
                                               report::significant(constant.log_loss)));
    lines.emplace_back("accuracy", fmt::format("{}, of a constant prediction {}", report::percent(scores.accuracy),
                                               report::percent(constant.accuracy)));
  } else {
    lines.emplace_back("targets", "none, so the page shows predictions only");
  }
  lines.emplace_back("written to", arguments.output);
  print_lines(lines);
}

void run(const ReportArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  check_task(arguments, arguments.classes, ensemble.task());
  if (ensemble.task() == Task::classification) return run_classes(arguments, ensemble);
  RowStream stream(ensemble, arguments, data::Targets::needed);
  report::ModelReport judged(ensemble, arguments.intervals(), largest_weight(stream));
  data::SharedRows trained_on(ensemble.state().row_hashes);
  for_observations(
      ensemble, stream, arguments, [&](const scoring::Observations& rows) { judged.add(rows); },
      [&](std::size_t, const Rows& rows) {
        trained_on.add(rows.block);
        return true;
      });
  judged.set_training_share(trained_on.share());
  const report::RowPlaces places = places_of(stream, judged.shown_rows(), arguments.keep);
  write_page(arguments, judged.page(arguments.names(), places));
  if (is_standard_output(arguments.output)) return;
  const report::Comparison comparison = judged.comparison();
  print_training_warning(comparison.training_share);
  print_lines({{"rows", fmt::format("{}", comparison.rows)},
               {"coverage", fmt::format("{}, level {}", report::percent(comparison.extended.total_coverage),
                                        fmt::format("{:.6g}", arguments.intervals().level))},
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
