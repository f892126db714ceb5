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

}  // namespace

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
