// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "cli/reproduce_parts.hpp"
#include "report/number.hpp"
#include "study/uci.hpp"

namespace credens::cli {
namespace {

using report::Chart;
using report::Intervals;
using report::Points;
using report::Role;
using report::Table;
using study::Result;

/// The results of one set in one series.
class SetResults {
 public:
  SetResults(const Reproduction& reproduction, const char* series, const std::string& data) {
    for (const Result& result : reproduction.results) {
      if (result.experiment == study::uci_experiment && result.key.series == series && result.key.data == data) {
        results_.push_back(&result);
      }
    }
  }

  bool empty() const { return results_.empty(); }

  const Result* find(const char* metric, const char* method = study::extended_method) const {
    for (const Result* result : results_) {
      if (result->key.metric == metric && result->key.method == method) return result;
    }
    return nullptr;
  }

 private:
  std::vector<const Result*> results_;
};

/// "2.66 ± 0.19": mean and standard error, to three digits of the mean; the mean alone where there is one value.
std::string with_error(const Result* result) {
  if (result == nullptr) return "";
  const std::string mean = report::significant(result->mean);
  const double error = result->standard_error();
  return std::isfinite(error) ? mean + " ± " + report::significant(error, 2) : mean;
}

std::string mean_percent(const Result* result) {
  return result ? report::percent(result->mean) : "";
}

/// As printed elsewhere; a zero was rounded to two decimals there.
std::string printed(double value) {
  return value == 0 ? "0.00" : fmt::format("{:g}", value);
}

std::string pair_text(std::optional<double> rmse, std::optional<double> nll) {
  return rmse && nll ? printed(*rmse) + " / " + printed(*nll) : "";
}

std::string seconds_text(const Result* result) {
  return result ? duration_text(result->mean) : "";
}

std::string count_text(const Result* result) {
  return result ? fmt::format("{}", result->count) : "";
}

void add_published(std::vector<std::string>& row, const std::string& data) {
  const study::UciPublished* published = study::uci_published(data);
  row.push_back(published ? pair_text(published->best_rmse, published->best_nll) : "");
  row.push_back(published ? published->source : "");
  row.push_back(published ? pair_text(published->ensembles_rmse, published->ensembles_nll) : "");
}

Table accuracy_table(const Reproduction& reproduction, const char* series) {
  const bool is_standard = series == std::string(study::standard_series);
  Table table{.caption = fmt::format("UCI benchmark, {} splits: extended ensemble, mean ± standard error", series),
              .headings = {"set", "splits", "members", "RMSE", "NLL", "total coverage", "time per fit"}};
  if (is_standard) {
    table.headings.insert(table.headings.end(),
                          {"best published, RMSE / NLL", "source", "deep ensembles 2017, RMSE / NLL"});
  }
  for (const study::UciSet& set : study::uci_sets()) {
    const SetResults results(reproduction, series, set.name);
    if (results.empty()) continue;
    const Result* members = results.find("members");
    table.rows.push_back({set.name, count_text(members), members ? fmt::format("{:.3g}", members->mean) : "",
                          with_error(results.find("rmse")), with_error(results.find("nll")),
                          mean_percent(results.find("total_coverage")), seconds_text(results.find("seconds"))});
    if (is_standard) add_published(table.rows.back(), set.name);
  }
  return table;
}

Table methods_table(const Reproduction& reproduction, const char* series) {
  Table table{.caption = fmt::format("UCI benchmark, {} splits: classical against extended ensemble", series),
              .headings = {"set", "NLL, classical", "NLL, extended", "classical − extended", "Gaussian NLL, classical",
                           "Gaussian NLL, extended", "CRPS, classical", "CRPS, extended",
                           "epistemic coverage, classical", "epistemic coverage, extended"}};
  for (const study::UciSet& set : study::uci_sets()) {
    const SetResults results(reproduction, series, set.name);
    if (results.empty()) continue;
    const auto both = [&](std::vector<std::string>& row, const char* metric, auto text) {
      for (const char* method : {study::classical_method, study::extended_method}) {
        row.push_back(text(results.find(metric, method)));
      }
    };
    std::vector<std::string> row = {set.name};
    both(row, "nll", with_error);
    row.push_back(with_error(results.find("nll_gain")));
    both(row, "nll_gaussian", with_error);
    both(row, "crps", with_error);
    both(row, "epistemic_coverage", mean_percent);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// ---- charts: one place on the x axis per set ----

double place_of(const Chart& chart) {
  return static_cast<double>(chart.x_names.size());
}

void add_point(Points& points, double x, double y) {
  points.x.push_back(x);
  points.y.push_back(y);
}

/// Our NLL of the standard splits minus that of others.
Chart published_chart(const Reproduction& reproduction) {
  Chart chart{.title = "NLL against published values",
              .subtitle = "standard splits; below 0 ours is lower",
              .description = "Mean NLL of the extended ensemble minus published values of the NLL, for each set.",
              .x_title = "set",
              .y_title = "difference in nats per row"};
  Points best{.label = "to the best published", .role = Role::estimate};
  Points ensembles{.label = "to deep ensembles 2017", .role = Role::second};
  for (const study::UciSet& set : study::uci_sets()) {
    const Result* nll = SetResults(reproduction, study::standard_series, set.name).find("nll");
    const study::UciPublished* published = study::uci_published(set.name);
    if (nll == nullptr || published == nullptr) continue;
    chart.x_names.push_back(set.name);
    add_point(best, place_of(chart), nll->mean - published->best_nll);
    if (published->ensembles_nll) add_point(ensembles, place_of(chart), nll->mean - *published->ensembles_nll);
  }
  chart.marks = {report::horizontal("equal", {0.5, place_of(chart) + 0.5}, 0), std::move(best), std::move(ensembles)};
  return chart;
}

/// What widening does to the NLL, split by split.
Chart gain_chart(const Reproduction& reproduction) {
  Chart chart{.title = "What widening gains",
              .subtitle = "classical − extended NLL; above 0 the extended ensemble is better",
              .description =
                  "Mean over splits of the NLL of the classical ensemble minus that of the extended one, "
                  "with standard errors, for standard and gap splits of each set.",
              .x_title = "set",
              .y_title = "nats per row"};
  Points means[] = {{.label = "standard splits", .role = Role::estimate},
                    {.label = "gap splits", .role = Role::second}};
  Intervals errors[] = {{.label = "± standard error", .role = Role::estimate},
                        {.label = "± standard error, gap", .role = Role::second}};
  for (const study::UciSet& set : study::uci_sets()) {
    const Result* gains[] = {SetResults(reproduction, study::standard_series, set.name).find("nll_gain"),
                             SetResults(reproduction, study::gap_series, set.name).find("nll_gain")};
    if (gains[0] == nullptr && gains[1] == nullptr) continue;
    chart.x_names.push_back(set.name);
    for (const std::size_t i : {0, 1}) {
      if (gains[i] == nullptr) continue;
      const double x = place_of(chart) + (i == 0 ? -0.1 : 0.1);
      const double error = std::isfinite(gains[i]->std) ? gains[i]->standard_error() : 0.0;
      add_point(means[i], x, gains[i]->mean);
      errors[i].x.push_back(x);
      errors[i].lower.push_back(gains[i]->mean - error);
      errors[i].upper.push_back(gains[i]->mean + error);
    }
  }
  chart.marks = {report::horizontal("equal", {0.5, place_of(chart) + 0.5}, 0)};
  for (Intervals& interval : errors) chart.marks.emplace_back(std::move(interval));
  for (Points& points : means) chart.marks.emplace_back(std::move(points));
  return chart;
}

}  // namespace

report::Figure uci_charts(const Reproduction& reproduction) {
  report::Figure figure{.caption = "Sets from the smallest to the largest.", .columns = 2};
  for (Chart& chart : std::vector<Chart>{published_chart(reproduction), gain_chart(reproduction)}) {
    if (!chart.x_names.empty()) figure.charts.push_back(std::move(chart));
  }
  return figure;
}

std::vector<Table> uci_tables(const Reproduction& reproduction) {
  std::vector<Table> tables;
  for (const char* series : {study::standard_series, study::gap_series}) {
    for (Table& table : std::vector<Table>{accuracy_table(reproduction, series), methods_table(reproduction, series)}) {
      if (!table.rows.empty()) tables.push_back(std::move(table));
    }
  }
  return tables;
}

}  // namespace credens::cli
