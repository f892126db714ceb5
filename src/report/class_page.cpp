// SPDX-License-Identifier: Apache-2.0

#include "report/class_page.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/check.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "report/chart_parts.hpp"
#include "report/comparison.hpp"
#include "report/confusions.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

namespace {

constexpr std::size_t most_drawn_rows = 2000;
constexpr std::size_t most_exact_ranks = std::size_t{1} << 20;

std::string constant_text(const ConstantScores& constant) {
  return fmt::format(
      "A prediction that is the same for all rows could reach a log loss of {} and an accuracy of {} here, with the "
      "shares of the classes in these rows.",
      significant(constant.log_loss), percent(constant.accuracy));
}

std::string certainty_verdict(double accuracy, const Range& expected) {
  if (accuracy < expected.first) return "less than that: the model is too sure of these rows";
  if (accuracy > expected.second) return "more than that: the model could be surer of these rows";
  return "in keeping with that";
}

std::string confidence_sentence(const ClassScores& scores, const std::vector<scoring::ReliabilityBin>& bins) {
  double confidence = 0;
  double inverse_rows = 0;
  for (const scoring::ReliabilityBin& bin : bins) {
    confidence += bin.share * bin.confidence;
    inverse_rows += bin.share * bin.share / bin.effective_rows;
  }
  const Range expected = expected_shares(confidence, 1 / inverse_rows);
  return fmt::format(
      "The model gives its predicted classes a probability of {} on average and is right for {} of the rows. A "
      "calibrated model would be expected to be right for between {} and {}; this is {}.",
      percent(confidence), percent(scores.accuracy), percent(expected.first), percent(expected.second),
      certainty_verdict(scores.accuracy, expected));
}

std::string entropy_sentence(double aleatoric, double epistemic) {
  const double entropy = aleatoric + epistemic;
  return fmt::format("The mean entropy is {} nats per row, of which noise makes up {} and ignorance {}.",
                     significant(entropy), percent(entropy > 0 ? aleatoric / entropy : 0),
                     percent(entropy > 0 ? epistemic / entropy : 0));
}

Section class_scores_section(const ClassComparison& comparison, const ClassModelNames& names,
                             const std::vector<scoring::ReliabilityBin>& bins) {
  const ClassScores& scores = comparison.extended.scores;
  return {
      .title = "The scores",
      .paragraphs = {constant_text(constant_scores(comparison.extended.confusion)), confidence_sentence(scores, bins),
                     entropy_sentence(scores.aleatoric, scores.epistemic),
                     "The same numbers as those of credens evaluate. “Classical” is the ensemble without the width "
                     "of its members' posteriors. Accuracy and AUROC are better the larger they are; log loss, Brier "
                     "score, calibration error and the area under the risk curve the smaller. All of it holds for "
                     "new rows only if the model was not trained on these."},
      .tables = class_comparison_tables(comparison, names)};
}

Section classes_section(const Matrix& confusion, const std::vector<std::string>& classes) {
  return {.title = "The classes", .tables = confusion_tables(confusion, classes)};
}

Table predicted_table(std::span<const math::CompensatedSum> predicted, double unit,
                      const std::vector<std::string>& classes) {
  constexpr std::size_t most_shown = 20;
  std::vector<double> weights;
  for (const math::CompensatedSum& sum : predicted) weights.push_back(sum.value() * unit);
  Table table{.caption = "The classes, by how many rows are predicted as such",
              .headings = {"class", "rows predicted"}};
  if (classes.size() > most_shown) table.caption += fmt::format(": the first {} of {}", most_shown, classes.size());
  for (const std::size_t k : scoring::largest(weights, most_shown)) {
    table.rows.push_back({classes[k], weight_text(weights[k])});
  }
  return table;
}

std::string class_lead(const ClassComparison& comparison, const std::string& model, const std::string& data) {
  const ConstantScores constant = constant_scores(comparison.extended.confusion);
  const ClassScores& scores = comparison.extended.scores;
  const std::string warning = training_warning(comparison.training_share);
  return fmt::format(
      "{}{}For the {} rows of {}, {} has a log loss of {} nats per row (a constant prediction: {}) and names the right "
      "class for {} of them (a constant one: {}).",
      warning, warning.empty() ? "" : " ", comparison.rows, data, model, significant(scores.log_loss),
      significant(constant.log_loss), percent(scores.accuracy), percent(constant.accuracy));
}

}  // namespace

ClassReport::ClassReport(const Ensemble& ensemble, const ClassReportOptions& options)
    : ensemble_(ensemble),
      options_(options),
      weight_unit_(std::ldexp(1.0, std::ilogb(options.largest_weight))),
      names_{.classes = ensemble.classes(), .posterior = std::string(base::name_of(ensemble.posterior()))},
      comparer_(ensemble.outputs(), {.largest_weight = options.largest_weight}),
      risk_by_ignorance_(most_exact_ranks),
      sample_(most_drawn_rows),
      least_known_(most_named_rows),
      predicted_(ensemble.outputs()) {
  if (!options.has_foreign) return;
  classical_foreign_.emplace();
  extended_foreign_.emplace();
}

void ClassReport::add(const ClassPredictions& rows, MatrixView targets, std::span<const double> weights) {
  if (options_.has_targets) comparer_.add(rows, targets, weights);
  std::vector<double> relative;
  for (const double weight : weights) relative.push_back(weight / weight_unit_);
  const std::size_t first = sample_.seen();
  std::vector<double> row_weights;
  for (const auto& row : scoring::class_rows(rows.classical, targets, relative, first)) classical_reliability_.add(row);
  for (const auto& row : scoring::class_rows(rows.extended, targets, relative, first)) {
    row_weights.push_back(row.weight);
    reliability_.add(row);
    risk_by_ignorance_.add(row.epistemic, row.weight * (1 - row.right), row.weight * row.right);
    predicted_[row.predicted].add(row.weight);
    aleatoric_.add(row.aleatoric, row.weight);
    epistemic_.add(row.epistemic, row.weight);
    sample_.add(row);
    least_known_.add(row);
  }
  if (!options_.has_foreign) return;
  classical_foreign_->add_own(scoring::uncertainty_of(rows.classical), row_weights);
  extended_foreign_->add_own(scoring::uncertainty_of(rows.extended), row_weights);
}

void ClassReport::add_foreign(const ClassPredictions& rows) {
  classical_foreign_->add_foreign(scoring::uncertainty_of(rows.classical));
  extended_foreign_->add_foreign(scoring::uncertainty_of(rows.extended));
}

ClassComparison ClassReport::comparison() const {
  ClassComparison comparison = comparer_.comparison();
  comparison.training_share = training_share_;
  if (!options_.has_foreign) return comparison;
  comparison.classical.foreign = classical_foreign_->scores();
  comparison.extended.foreign = extended_foreign_->scores();
  return comparison;
}

std::set<std::size_t> ClassReport::shown_rows() const {
  std::set<std::size_t> shown;
  for (const scoring::ClassRow& row : least_known_.rows()) shown.insert(row.row);
  return shown;
}

std::string ClassReport::target_name() const {
  const data::Schema& schema = ensemble_.state().schema;
  return schema.has_counts() ? "the class" : schema.targets.front().name;
}

Section ClassReport::predictions_section(const ClassComparison* comparison) const {
  ChartedClasses charted{.target = target_name(),
                         .names = names_.classes,
                         .is_extended = ensemble_.posterior() != PosteriorKind::delta,
                         .comparison = comparison,
                         .reliability = reliability_.bins(),
                         .classical_reliability = classical_reliability_.bins(),
                         .sample = sample_};
  if (comparison != nullptr) charted.risk_by_ignorance = scoring::risk_curve(risk_by_ignorance_.ascending());
  return {.title = "Predictions of " + target_name(), .figure_columns = 2, .figures = class_figures(charted)};
}

Table ClassReport::least_known_table(const std::string& data_name, const RowPlaces& places) const {
  const RowColumns columns(ensemble_, places);
  Table table{.caption = fmt::format("The rows with the largest ignorance, by {} of {}; entropies in nats", places.word,
                                     file_name(data_name)),
              .headings = {places.word, "ignorance", "entropy", "predicted", "its probability"}};
  if (options_.has_targets) table.headings.insert(table.headings.end(), {"observed", "its probability"});
  columns.add_headings(table.headings);
  for (const scoring::ClassRow& row : least_known_.rows()) {
    std::vector<std::string> cells = {places.name_of(row.row), significant(row.epistemic), significant(row.entropy),
                                      names_.classes[row.predicted], percent(row.confidence)};
    if (row.observed) {
      cells.push_back(names_.classes[*row.observed]);
      cells.push_back(percent(row.observed_probability));
    }
    columns.add_cells(row.row, cells);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Section ClassReport::foreign_section() const {
  const ForeignScores extended = extended_foreign_->scores();
  Section section{
      .title = "Foreign rows",
      .paragraphs = {fmt::format(
          "Foreign rows belong to none of the classes. Their ignorance is larger than that of a row of the data in "
          "{} of all pairs, their entropy in {}, and their predicted class is less sure in {}.",
          percent(extended.by_epistemic), percent(extended.by_entropy), percent(extended.by_confidence))},
      .figure_columns = 2,
      .figures = foreign_figures(*extended_foreign_)};
  if (options_.has_targets) return section;  // the scores have the numbers
  section.tables = {{.caption = "How well foreign rows are told: 0.5 is chance, 1 is perfect",
                     .headings = {"", "classical", "extended (" + names_.posterior + ")"},
                     .rows = foreign_lines(classical_foreign_->scores(), extended)}};
  return section;
}

Page ClassReport::page(const PageNames& names, const RowPlaces& places) const {
  base::require(rows() > 0, ErrorCode::data, "there are no rows to show, expected at least 1");
  Page page = begin_page(names);
  std::optional<ClassComparison> comparison;
  if (options_.has_targets) {
    comparison = this->comparison();
    page.lead = class_lead(*comparison, file_name(names.model), file_name(names.data));
    page.sections = {class_scores_section(*comparison, names_, reliability_.bins())};
  } else {
    page.lead = fmt::format("What {} predicts for the {} rows of {}, which have no {} to compare it with.",
                            file_name(names.model), rows(), file_name(names.data), target_name());
    page.sections = {{.title = "The predictions",
                      .paragraphs = {entropy_sentence(aleatoric_.value(), epistemic_.value())},
                      .tables = {predicted_table(predicted_, weight_unit_, names_.classes)}}};
  }
  page.sections.push_back(expectation_section(ensemble_));
  page.sections.push_back(predictions_section(comparison ? &*comparison : nullptr));
  page.sections.back().tables.push_back(least_known_table(names.data, places));
  std::ranges::move(class_effect_sections(ensemble_, places.sample), std::back_inserter(page.sections));
  if (comparison) page.sections.push_back(classes_section(comparison->extended.confusion, names_.classes));
  if (options_.has_foreign) page.sections.push_back(foreign_section());
  page.sections.push_back(making_section(ensemble_, names.model));
  return page;
}

}  // namespace credens::report
