// SPDX-License-Identifier: Apache-2.0

#include "report/class_comparison.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "data/table.hpp"
#include "report/confusions.hpp"
#include "score/class_score_fields.hpp"
#include "store/json.hpp"

namespace credens::report {

namespace {

using scoring::ClassScoreField;

constexpr std::size_t most_shown_classes = 12;

struct ForeignField {
  const char* name;
  const char* title;
  double ForeignScores::*member;
};

constexpr std::array<ForeignField, 3> foreign_fields = {
    ForeignField{"epistemic", "foreign rows, AUROC by epistemic", &ForeignScores::by_epistemic},
    ForeignField{"entropy", "  by entropy", &ForeignScores::by_entropy},
    ForeignField{"confidence", "  by confidence", &ForeignScores::by_confidence}};

std::string class_score_text(const ClassScoreField& field, const ClassScores& scores) {
  const std::optional<double> value = field.value(scores);
  if (!value) return "-";
  return field.format == scoring::ScoreFormat::percent ? percent(*value) : significant(*value, 4);
}

std::vector<std::string> side_headings(const std::string& first, const std::string& posterior) {
  return {first, "classical", "extended (" + posterior + ")"};
}

Table class_score_table(const ClassComparison& comparison, const ClassModelNames& names) {
  const ClassJudgement& classical = comparison.classical;
  const ClassJudgement& extended = comparison.extended;
  Table table{.caption = fmt::format("{}, {} classes", data::count_of(comparison.rows, "row"), names.classes.size()),
              .headings = side_headings("", names.posterior)};
  for (const ClassScoreField& field : scoring::class_score_fields()) {
    table.rows.push_back({std::string(field.title), class_score_text(field, classical.scores),
                          class_score_text(field, extended.scores)});
  }
  if (!extended.foreign) return table;
  for (auto& line : foreign_lines(*classical.foreign, *extended.foreign)) table.rows.push_back(std::move(line));
  return table;
}

Table risk_table(const ClassComparison& comparison, const std::string& posterior) {
  Table table{.caption = "Wrong classes among the surest rows", .headings = side_headings("share of rows", posterior)};
  for (std::size_t i = 0; i < risk_shares.size(); ++i) {
    table.rows.push_back(
        {percent(risk_shares[i]), percent(comparison.classical.risk[i]), percent(comparison.extended.risk[i])});
  }
  return table;
}

Table confusion_table(const Matrix& confusion, const ClassModelNames& names) {
  Table table{.caption = "True class by row, predicted class by column (extended)", .headings = {""}};
  table.headings.insert(table.headings.end(), names.classes.begin(), names.classes.end());
  for (std::size_t k = 0; k < names.classes.size(); ++k) {
    std::vector<std::string> cells = {names.classes[k]};
    for (const double weight : confusion.row(k)) cells.push_back(weight_text(weight));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void check_names(const ClassComparison& comparison, const ClassModelNames& names) {
  base::require(names.classes.size() == comparison.extended.confusion.rows(), ErrorCode::failure,
                "there are {} names of classes, expected {}", names.classes.size(),
                comparison.extended.confusion.rows());
}

Json judgement_json(const ClassJudgement& judgement) {
  Json document = class_scores_json(judgement.scores);
  document["selective_risk"] = {{"share", risk_shares}, {"risk", judgement.risk}};
  if (!judgement.foreign) return document;
  Json& foreign = document["foreign_auroc"] = Json::object();
  for (const ForeignField& field : foreign_fields) foreign[field.name] = (*judgement.foreign).*field.member;
  return document;
}

Json confusion_json(const Matrix& confusion) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < confusion.rows(); ++k) {
    const auto row = confusion.row(k);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

}  // namespace

RiskByPercent risk_by_percent(const RiskCurve& curve) {
  RiskByPercent risk{};
  for (std::size_t i = 0; i < risk.size(); ++i) {
    risk[i] = curve.at(static_cast<double>(i + 1) / static_cast<double>(risk.size()));
  }
  return risk;
}

std::vector<std::vector<std::string>> foreign_lines(const ForeignScores& classical, const ForeignScores& extended) {
  std::vector<std::vector<std::string>> lines;
  for (const ForeignField& field : foreign_fields) {
    lines.push_back({field.title, significant(classical.*field.member, 4), significant(extended.*field.member, 4)});
  }
  return lines;
}

ClassComparer::ClassComparer(std::size_t classes, const ClassComparerOptions& options)
    : classes_(classes),
      classical_{.scorer = scoring::ClassScorer(classes, options.risk_order, options.largest_weight), .foreign = {}},
      extended_{.scorer = scoring::ClassScorer(classes, options.risk_order, options.largest_weight), .foreign = {}} {
  if (!options.has_foreign) return;
  classical_.foreign.emplace();
  extended_.foreign.emplace();
}

void ClassComparer::Side::add(const scoring::ClassBlockScores& block) {
  scorer.add(block);
  if (!foreign) return;
  for (const scoring::ClassRowScore& row : block.rows) foreign->add_own(row);
}

ClassJudgement ClassComparer::Side::judgement() const {
  ClassJudgement judgement{.scores = scorer.scores(), .confusion = scorer.confusion()};
  const RiskCurve curve = scorer.risk();
  for (std::size_t i = 0; i < risk_shares.size(); ++i) judgement.risk[i] = curve.at(risk_shares[i]);
  judgement.risk_by_percent = risk_by_percent(curve);
  if (foreign) judgement.foreign = foreign->scores();
  return judgement;
}

std::string ClassComparer::scored(const ClassPredictions& rows, MatrixView targets,
                                  std::span<const double> weights) const {
  std::string bytes;
  append(classical_.scorer.score({.predictive = rows.classical, .targets = targets, .weights = weights}), bytes);
  append(extended_.scorer.score({.predictive = rows.extended, .targets = targets, .weights = weights}), bytes);
  return bytes;
}

void ClassComparer::add_scored(std::string_view bytes) {
  base::ByteReader reader(bytes);
  classical_.add(scoring::read_class_block_scores(reader));
  extended_.add(scoring::read_class_block_scores(reader));
}

std::string ClassComparer::scored_foreign(const ClassPredictions& rows) const {
  base::require(rows.extended.classes() == classes_, ErrorCode::data, "foreign rows have {} classes, expected {}",
                rows.extended.classes(), classes_);
  std::string bytes;
  base::append_counted(bytes, scoring::uncertainty_of(rows.classical));
  base::append_counted(bytes, scoring::uncertainty_of(rows.extended));
  return bytes;
}

void ClassComparer::add_scored_foreign(std::string_view bytes) {
  base::ByteReader reader(bytes);
  base::require(classical_.foreign && extended_.foreign, ErrorCode::failure,
                "foreign rows came to a comparison that was made without them");
  classical_.foreign->add_foreign(reader.counted<scoring::RowUncertainty>());
  extended_.foreign->add_foreign(reader.counted<scoring::RowUncertainty>());
}

ClassComparison ClassComparer::comparison() const {
  return {.rows = extended_.scorer.rows(), .classical = classical_.judgement(), .extended = extended_.judgement()};
}

std::vector<Table> class_comparison_tables(const ClassComparison& comparison, const ClassModelNames& names) {
  check_names(comparison, names);
  std::vector<Table> tables = {class_score_table(comparison, names), risk_table(comparison, names.posterior)};
  if (names.classes.size() <= most_shown_classes) {
    tables.push_back(confusion_table(comparison.extended.confusion, names));
  }
  return tables;
}

Json class_comparison_json(const ClassComparison& comparison, const ClassModelNames& names) {
  check_names(comparison, names);
  Json document = {{"rows", comparison.rows}, {"classes", names.classes}, {"posterior", names.posterior}};
  document["classical"] = judgement_json(comparison.classical);
  document["extended"] = judgement_json(comparison.extended);
  document["confusion"] = confusion_json(comparison.extended.confusion);
  document["training_share"] = store::number_or_null(comparison.training_share);
  return document;
}

Json class_scores_json(const ClassScores& scores) {
  Json document = Json::object();
  for (const ClassScoreField& field : scoring::class_score_fields()) {
    document[std::string(field.name)] = store::number_or_null(field.value(scores));
  }
  return document;
}

}  // namespace credens::report
