// SPDX-License-Identifier: Apache-2.0

#include "report/promise_summary.hpp"

#include <credens/guarantee.hpp>

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "data/table.hpp"

namespace credens::report {

namespace {

/// Nine of ten calibrations with as many rows realise a coverage between these.
constexpr double low_end = 0.05;
constexpr double high_end = 0.95;

/// The promise for one output of a group, or for all its outputs at once.
struct PromisedCoverage {
  std::string group;
  std::string output;
  std::size_t rows = 0;
  CoverageLaw law;
  std::optional<double> before = {};  ///< none for all outputs at once
};

std::vector<PromisedCoverage> promised_coverages(const Ensemble& ensemble, double level) {
  std::vector<PromisedCoverage> all;
  const std::vector<std::string> outputs = ensemble.target_names();
  for (const PromiseGroup& group : ensemble.promise()->groups) {
    const std::vector<double> before = coverage_before(group, level);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      all.push_back({group.name, outputs[k], group.rows(), coverage_law(group.rows(), level), before[k]});
    }
    if (outputs.size() > 1) {
      const CoverageLaw joint = coverage_law(group.rows(), level, Guarantee::joint);
      all.push_back({group.name, "all at once", group.rows(), joint, {}});
    }
  }
  return all;
}

std::string range_of(const CoverageLaw& law) {
  return fmt::format("{} to {}", percent(law.quantile(low_end)), percent(law.quantile(high_end)));
}

}  // namespace

Table promise_table(const Ensemble& ensemble, double level) {
  const bool has_groups = !ensemble.promise()->groups.front().name.empty();
  Table table{.headings = {"output", "rows", "promised", "realised, 9 of 10 times", "model alone"}};
  if (has_groups) table.headings.insert(table.headings.begin(), "group");
  for (const PromisedCoverage& one : promised_coverages(ensemble, level)) {
    std::vector<std::string>& row = table.rows.emplace_back();
    if (has_groups) row.push_back(one.group);
    row.insert(row.end(), {one.output, fmt::format("{}", one.rows), percent(one.law.mean()), range_of(one.law),
                           one.before ? percent(*one.before) : "-"});
  }
  return table;
}

Json promise_groups_json(const Promise& promise) {
  const std::string by = promise.edges.empty() ? promise.column : "ignorance";
  Json groups = Json::array();
  for (const PromiseGroup& group : promise.groups) {
    groups.push_back({{"name", group.name.empty() ? Json() : Json(group.name)}, {"rows", group.rows()}});
  }
  return {{"rows", promise.rows()},
          {"by", by.empty() ? Json() : Json(by)},
          {"edges", promise.edges},
          {"groups", std::move(groups)}};
}

Json promise_json(const Ensemble& ensemble, double level) {
  Json coverages = Json::array();
  for (const PromisedCoverage& one : promised_coverages(ensemble, level)) {
    Json& json = coverages.emplace_back(Json{{"output", one.output}, {"rows", one.rows}});
    if (!one.group.empty()) json["group"] = one.group;
    json["promised"] = one.law.mean();
    json["law"] = {one.law.a, one.law.b};
    json["realised"] = {one.law.quantile(low_end), one.law.quantile(high_end)};
    json["model_alone"] = one.before ? Json(*one.before) : Json();
  }
  Json document = promise_groups_json(*ensemble.promise());
  document["level"] = level;
  document["coverages"] = std::move(coverages);
  return document;
}

std::string promise_sentences(const Ensemble& ensemble, double level) {
  const bool has_groups = !ensemble.promise()->groups.front().name.empty();
  return fmt::format(
      "Promised{}: a new row from where the calibration rows come from lies inside its {} interval\n"
      "with at least the probability `promised`, whatever the model got wrong.\n"
      "Realised: the share of many new rows inside. It depends on which rows the calibration got, and nine\n"
      "times of ten it is between the two numbers `realised` (a beta distribution). More rows, less spread.\n"
      "Model alone: the share of calibration rows inside the model's own {} intervals.\n"
      "Nothing is promised of the regression function: its intervals stay Bayesian.\n",
      has_groups ? ", in each group" : "", percent(level), percent(level));
}

std::string promise_line(const Promise& promise) {
  std::string text = data::count_of(promise.rows(), "calibration row");
  if (promise.groups.size() > 1 || !promise.column.empty()) {
    text += fmt::format(" in {} by {}", data::count_of(promise.groups.size(), "group"),
                        promise.edges.empty() ? promise.column : "ignorance");
  }
  return text;
}

}  // namespace credens::report
