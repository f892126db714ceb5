// SPDX-License-Identifier: Apache-2.0
//
// One page about a model and rows with known targets.

#include <credens/store.hpp>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "cli/comparison.hpp"
#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/report_charts.hpp"
#include "cli/report_page.hpp"
#include "cli/verbs.hpp"
#include "report/number.hpp"

namespace credens::cli {

namespace {

/// What a browser draws at ease, and what keeps a page below 2 MB.
constexpr std::size_t most_marks = 2000;  ///< rows drawn one by one, in the same chart of all outputs together
constexpr std::size_t most_outputs = 12;  ///< that have charts
constexpr std::size_t table_rows = 12;

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

/// Divided by the largest, so that no square overflows.
std::vector<double> relative(std::vector<double> weights) {
  if (weights.empty()) return weights;
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (double& weight : weights) weight /= largest;
  return weights;
}

std::vector<ReportedRow> most_epistemic(const scoring::OutputRows& rows) {
  const std::vector<double> shares = epistemic_shares(rows);
  std::vector<ReportedRow> reported;
  for (const std::size_t row : scoring::largest(shares, table_rows)) {
    reported.push_back({.row = row,
                        .observed = rows.observed[row],
                        .mean = rows.mean[row],
                        .aleatoric_std = rows.aleatoric_std[row],
                        .epistemic_std = rows.epistemic_std[row],
                        .epistemic_share = shares[row]});
  }
  return reported;
}

const Scores& scores_of(const Scores& all, std::size_t output) {
  return all.per_output.empty() ? all : all.per_output[output];
}

/// Output by output, so that what is computed of one is gone before the next.
std::vector<ReportedOutput> reported_outputs(const Ensemble& ensemble, const Observations& observations,
                                             const Comparison& comparison, const ComparisonArguments& arguments) {
  const std::vector<double> weights = relative(observations.weights);
  const std::size_t count = std::min(ensemble.outputs(), most_outputs);
  std::vector<ReportedOutput> outputs;
  for (std::size_t k = 0; k < count; ++k) {
    const scoring::OutputRows rows = scoring::output_rows(observations.predictive, observations.target_rows(), k,
                                                          arguments.level, arguments.interval);
    const std::string& name = ensemble.target_names()[k];
    outputs.push_back({.name = name,
                       .figures = output_figures({.name = name,
                                                  .rows = rows,
                                                  .weights = weights,
                                                  .scores = scores_of(comparison.extended, k),
                                                  .level = arguments.level,
                                                  .is_extended = ensemble.posterior() != PosteriorKind::delta,
                                                  .most_rows = most_marks / count}),
                       .most_epistemic = most_epistemic(rows)});
  }
  return outputs;
}

/// A second pass over the data: only now is it known which rows are shown.
RowPlaces places_of(RowStream& stream, const std::vector<ReportedOutput>& outputs) {
  std::set<std::size_t> wanted;
  for (const ReportedOutput& output : outputs) {
    for (const ReportedRow& row : output.most_epistemic) wanted.insert(row.row);
  }
  RowPlaces places;
  stream.rewind();
  std::size_t first = 0;
  while (const Rows* rows = stream.next()) {
    if (rows->arrays) break;
    if (rows->table.first_line > 0) places.word = "line";
    places.first = rows->table.first_line;
    for (auto row = wanted.lower_bound(first); row != wanted.end() && *row < first + rows->count(); ++row) {
      const auto inputs = rows->inputs.row(*row - first);
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
  RowStream stream(ensemble, given.rows);
  const Observations observations = observe(ensemble, stream, given);
  ReportMatter matter{
      .ensemble = ensemble,
      .arguments = given,
      .comparison = compare(ensemble, observations, given),
      .effective_rows = scoring::effective_rows(observations.predictive.rows(), relative(observations.weights))};
  matter.outputs = reported_outputs(ensemble, observations, matter.comparison, given);
  matter.places = places_of(stream, matter.outputs);
  write_page(arguments.output, report_page(matter));
  if (is_standard_output(arguments.output)) return;
  print_lines({{"rows", fmt::format("{}", matter.comparison.rows)},
               {"coverage", fmt::format("{}, level {}", report::percent(matter.comparison.extended.total_coverage),
                                        base::to_text(given.level))},
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
