// SPDX-License-Identifier: Apache-2.0

#include "report/model_page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "math/normal.hpp"
#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "report/chart_parts.hpp"

namespace credens::report {
namespace {

/// Limits that keep a page below 2 MB and quick to draw.
constexpr std::size_t most_marks = 2000;  ///< rows drawn one by one, in the same chart of all outputs together
constexpr std::size_t most_outputs = 12;  ///< that have charts

/// The rows with the largest shares of ignorance, largest first.
std::vector<std::size_t> most_epistemic(const scoring::OutputDiagnostics& rows) {
  return scoring::largest(epistemic_shares(rows), most_named_rows);
}

const Scores& scores_of(const Scores& all, std::size_t output) {
  return all.per_output.empty() ? all : all.per_output[output];
}

std::string verdict(double coverage, const Range& expected) {
  if (coverage < expected.first) return "fewer than that: the intervals are too narrow for these rows";
  if (coverage > expected.second) return "more than that: the intervals are wider than these rows need";
  return "in keeping with that";
}

/// "The 95 % intervals, mean ± 1.96 standard deviations (coverage factor k = 1.96),".
std::string intervals_text(const scoring::IntervalOptions& interval) {
  const std::string level = level_text(interval.level);
  if (interval.kind == IntervalKind::mixture) {
    return fmt::format("The {} intervals, central quantiles of the mixture (so they have no coverage factor),", level);
  }
  const std::string k = significant(math::normal_quantile((1 + interval.level) / 2));
  return fmt::format("The {} intervals, mean ± {} standard deviations (coverage factor k = {}),", level, k, k);
}

std::string coverage_sentence(const Comparison& comparison, const scoring::IntervalOptions& interval,
                              double effective_rows) {
  const double coverage = comparison.extended.total_coverage;
  const Range expected = expected_shares(interval.level, effective_rows);
  return fmt::format(
      "{} hold {} of the observations. Over {} rows a calibrated model would be expected to reach between {} and {}; "
      "this is {}.",
      intervals_text(interval), percent(coverage), comparison.rows, percent(expected.first), percent(expected.second),
      verdict(coverage, expected));
}

std::string error_sentence(const Scores& scores) {
  std::string sentence = fmt::format("The root mean square error is {}", significant(scores.rmse));
  if (scores.rmse_standardised) {
    sentence += fmt::format(", {} standard deviations of the training targets", significant(*scores.rmse_standardised));
  }
  const double ratio = scores.epistemic_aleatoric_ratio_median;
  return sentence + fmt::format(
                        ". At the median row, ignorance makes up {} of the predicted variance and noise the "
                        "rest.",
                        percent(ratio / (1 + ratio)));
}

Section scores_section(const Comparison& comparison, const Ensemble& ensemble, const scoring::IntervalOptions& interval,
                       double effective_rows) {
  const std::string of_outputs =
      ensemble.outputs() == 1 ? "" : " These are means over the outputs; each has a table of its own below.";
  return {.title = "The scores",
          .paragraphs = {coverage_sentence(comparison, interval, effective_rows) + of_outputs,
                         error_sentence(comparison.extended),
                         "The same numbers as those of credens evaluate. “Classical” is the ensemble without the width "
                         "of its members' posteriors. Coverage should be close to the level; errors, likelihood, CRPS, "
                         "width, interval score and calibration error are better the smaller they are. All of it holds "
                         "for new rows only if the model was not trained on these."},
          .tables = comparison_tables(comparison, ensemble, interval.level)};
}

Table most_epistemic_table(const Ensemble& ensemble, const scoring::OutputDiagnostics& rows,
                           const std::string& data_name, const RowPlaces& places) {
  const RowColumns columns(ensemble, places);
  Table table{.caption = fmt::format("The rows with the largest epistemic share, by {} of {}", places.word,
                                     file_name(data_name)),
              .headings = {places.word, "epistemic share", "observed", "predicted", "epistemic std", "aleatoric std"}};
  columns.add_headings(table.headings);
  const std::vector<double> shares = epistemic_shares(rows);
  for (const std::size_t row : most_epistemic(rows)) {
    std::vector<std::string> cells = {places.name_of(row),
                                      percent(shares[row]),
                                      significant(rows.observed[row], 4),
                                      significant(rows.mean[row], 4),
                                      significant(rows.epistemic_std[row]),
                                      significant(rows.aleatoric_std[row])};
    columns.add_cells(row, cells);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string lead(const Ensemble& ensemble, const Comparison& comparison, const PageNames& names) {
  std::string targets = base::join(ensemble.target_names(), ", ");
  if (ensemble.outputs() > 8) targets = fmt::format("{} outputs", ensemble.outputs());
  const std::string warning = training_warning(comparison.training_share);
  return fmt::format(
      "{}{}What {} predicts for the {} rows of {}, beside what was observed of {}: errors, noise, ignorance, "
      "and whether its intervals keep their word.",
      warning, warning.empty() ? "" : " ", file_name(names.model), comparison.rows, file_name(names.data), targets);
}

}  // namespace

ModelReport::ModelReport(const Ensemble& ensemble, const scoring::IntervalOptions& interval, double largest_weight)
    : ensemble_(ensemble),
      interval_(interval),
      largest_weight_(largest_weight),
      comparer_(ensemble, interval, largest_weight),
      outputs_(std::min(ensemble.outputs(), most_outputs)) {}

void ModelReport::add(const scoring::Observations& rows) {
  comparer_.add(rows);
  const std::size_t first = weights_.size();
  for (const double weight : rows.weights) weights_.push_back(weight / largest_weight_);  // no square overflows
  budget_.add(rows.predictive, std::span(weights_).subspan(first));
  scoring::diagnose(rows.predictive, rows.targets, interval_, outputs_);
}

Comparison ModelReport::comparison() const {
  Comparison comparison = comparer_.comparison();
  comparison.training_share = training_share_;
  return comparison;
}

std::set<std::size_t> ModelReport::shown_rows() const {
  std::set<std::size_t> shown;
  for (const scoring::OutputDiagnostics& rows : outputs_) {
    for (const std::size_t row : most_epistemic(rows)) shown.insert(row);
  }
  return shown;
}

Page ModelReport::page(const PageNames& names, const RowPlaces& places) const {
  const Comparison comparison = this->comparison();
  const double effective_rows = math::effective_count(comparison.rows, weights_);
  const std::vector<std::string> labels = ensemble_.state().schema.target_labels();
  Page page = begin_page(names);
  page.lead = lead(ensemble_, comparison, names);
  page.sections = {scores_section(comparison, ensemble_, interval_, effective_rows),
                   budget_.section(std::span(labels).first(outputs_.size())), expectation_section(ensemble_)};
  if (outputs_.size() < ensemble_.outputs()) {
    page.sections.front().paragraphs.push_back(
        fmt::format("Charts are shown for the first {} of the {} outputs.", outputs_.size(), ensemble_.outputs()));
  }
  std::vector<Section> effects = effect_sections(ensemble_, places.sample, interval_, outputs_.size());
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const data::Column& target = ensemble_.state().schema.targets[k];
    page.sections.push_back({.title = "Predictions of " + target.name,
                             .figure_columns = 2,
                             .figures = output_figures({.name = target.name,
                                                        .unit = target.unit,
                                                        .rows = outputs_[k],
                                                        .weights = weights_,
                                                        .scores = scores_of(comparison.extended, k),
                                                        .level = interval_.level,
                                                        .is_extended = ensemble_.posterior() != PosteriorKind::delta,
                                                        .most_rows = most_marks / outputs_.size()}),
                             .tables = {most_epistemic_table(ensemble_, outputs_[k], names.data, places)}});
    if (!effects.empty()) page.sections.push_back(std::move(effects[k]));
  }
  page.sections.push_back(making_section(ensemble_, names.model));
  return page;
}

}  // namespace credens::report
