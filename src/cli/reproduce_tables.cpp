// SPDX-License-Identifier: Apache-2.0

#include <cmath>

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "cli/reproduce_parts.hpp"
#include "report/number.hpp"
#include "study/published.hpp"
#include "study/real_data.hpp"
#include "study/table2.hpp"
#include "study/year_shape.hpp"

namespace credens::cli {
namespace {

using report::Table;
using study::Result;

bool is_coverage(const std::string& metric) {
  return metric.ends_with("coverage");
}

std::string number_text(const std::string& metric, double value) {
  return is_coverage(metric) ? report::percent(value) : report::fixed(value, 3);
}

std::string mean_text(const Result* result) {
  return result ? mean_and_spread(*result) : "";
}

std::string metric_title(const std::string& metric) {
  if (metric == "function_coverage") return "coverage of the regression function";
  if (metric == "epistemic_coverage") return "epistemic coverage";
  if (metric == "total_coverage") return "total coverage";
  if (metric == "epistemic_aleatoric_ratio") return "epistemic / aleatoric";
  if (metric == "epistemic_aleatoric_ratio_median") return "the same, median over rows";
  return "RMSE";
}

std::string said_of_figure1(const std::string& metric) {
  return metric == "function_coverage" ? "below 60 %; complete" : "";
}

/// The results of the extended method with this metric, in their order: one per setting.
std::vector<const Result*> settings_of(const Reproduction& reproduction, const std::string& experiment,
                                       const std::string& series, const std::string& metric) {
  std::vector<const Result*> settings;
  for (const Result& result : reproduction.results) {
    if (result.experiment == experiment && result.key.series == series && result.key.metric == metric &&
        result.key.method == study::extended_method) {
      settings.push_back(&result);
    }
  }
  return settings;
}

const Result* with(const Reproduction& reproduction, const Result& like, const char* method, const char* metric) {
  study::MeasurementKey key = like.key;
  key.method = method;
  key.metric = metric;
  return study::find_result(reproduction.results, like.experiment, key);
}

Table figure2_table(const Reproduction& reproduction, const std::string& series) {
  const bool is_rows = series == "rows";
  Table table{.headings = {is_rows ? "training rows" : "networks", "coverage, classical", "coverage, extended",
                           "RMSE of both", "repetitions"}};
  for (const Result* setting : settings_of(reproduction, "figure2", series, "function_coverage")) {
    table.caption = is_rows ? fmt::format("Figure 2 against training rows, {} networks", setting->key.members)
                            : fmt::format("Figure 2 against networks, {} training rows", setting->key.rows);
    table.rows.push_back({fmt::format("{}", is_rows ? setting->key.rows : setting->key.members),
                          mean_text(with(reproduction, *setting, study::classical_method, "function_coverage")),
                          mean_and_spread(*setting),
                          mean_text(with(reproduction, *setting, study::extended_method, "rmse")),
                          fmt::format("{}", setting->count)});
  }
  return table;
}

/// The value, the range of our values, and whether what the paper prints lies in it.
void append_cells(std::vector<std::string>& row, const Result* result) {
  if (result == nullptr) {
    row.insert(row.end(), 3, "");
    return;
  }
  const std::string& metric = result->key.metric;
  row.push_back(mean_and_spread(*result));
  row.push_back(number_text(metric, result->least) + " to " + number_text(metric, result->largest));
  const std::optional<bool> inside = study::published_is_in_range(*result);
  row.push_back(!inside ? "" : *inside ? "yes" : "no");
}

const Result* in_series(const Reproduction& reproduction, study::MeasurementKey key, study::LambdaReading reading) {
  key.series = series_of(reading);
  return study::find_result(reproduction.results, "table2", key);
}

std::vector<std::string> table2_row(const Reproduction& reproduction, const study::MeasurementKey& key) {
  const Result* first = in_series(reproduction, key, study::LambdaReading::mean_loss);
  std::vector<std::string> row = {fmt::format("{}, {}, {} networks", metric_title(key.metric), key.method, key.members),
                                  first && first->paper ? number_text(key.metric, *first->paper) : ""};
  for (const study::LambdaReading reading : study::lambda_readings) {
    append_cells(row, in_series(reproduction, key, reading));
  }
  return row;
}

Table table2_of(const Reproduction& reproduction, const study::RealData& set, const Result& any) {
  Table table{.caption = fmt::format("Table 2, {}: {} training rows, {} {}; prior precision N λ, then λ as written",
                                     set.title, any.key.rows, any.count, any.count == 1 ? "repetition" : "repetitions"),
              .headings = {"", "paper", "N λ", "range", "inside", "λ", "range", "inside"}};
  for (const char* metric : {"rmse", "epistemic_coverage", "total_coverage", "epistemic_aleatoric_ratio",
                             "epistemic_aleatoric_ratio_median"}) {
    for (const char* method : {study::classical_method, study::extended_method}) {
      for (const std::size_t members : study::table2_members) {
        table.rows.push_back(table2_row(
            reproduction,
            {.data = set.name, .rows = any.key.rows, .members = members, .method = method, .metric = metric}));
      }
    }
  }
  return table;
}

std::string count_inside(const Reproduction& reproduction, const std::string& data, study::LambdaReading reading) {
  std::size_t inside = 0;
  std::size_t printed = 0;
  for (const Result& result : reproduction.results) {
    if (result.experiment != "table2" || result.key.data != data || result.key.series != series_of(reading)) continue;
    const std::optional<bool> is_inside = study::published_is_in_range(result);
    printed += is_inside.has_value() ? 1 : 0;
    inside += is_inside.value_or(false) ? 1 : 0;
  }
  return fmt::format("{} of {}", inside, printed);
}

/// Time and memory of synthetic rows in the place of Year; nothing where there are none.
Table year_shape_table(const Reproduction& reproduction) {
  Table table{.caption = "Synthetic rows in the shape of Year, which are not Year: time and memory",
              .headings = {"training rows", "networks", "time of training", "rows per second", "peak memory"}};
  for (const Result& seconds : reproduction.results) {
    if (seconds.key.data != study::year_synthetic || seconds.key.metric != "seconds") continue;
    const Result* speed = with(reproduction, seconds, study::extended_method, "rows_per_second");
    const Result* memory = with(reproduction, seconds, study::extended_method, "peak_megabytes");
    table.rows.push_back({fmt::format("{}", seconds.key.rows), fmt::format("{}", seconds.key.members),
                          duration_text(seconds.mean), speed ? report::significant(speed->mean) : "",
                          memory ? report::fixed(memory->mean, 0) + " MB" : ""});
  }
  return table;
}

const Result* any_of(const Reproduction& reproduction, const std::string& data) {
  for (const Result& result : reproduction.results) {
    if (result.experiment == "table2" && result.key.data == data) return &result;
  }
  return nullptr;
}

}  // namespace

std::string mean_and_spread(const Result& result) {
  const std::string& metric = result.key.metric;
  if (!std::isfinite(result.std)) return number_text(metric, result.mean);
  return number_text(metric, result.mean) + " ± " + number_text(metric, result.std);
}

std::vector<Table> figure1_tables(const Reproduction& reproduction) {
  Table table{.headings = {"", "classical", "extended", "paper"}};
  for (const char* metric : {"function_coverage", "total_coverage", "epistemic_coverage", "rmse",
                             "epistemic_aleatoric_ratio", "epistemic_aleatoric_ratio_median"}) {
    for (const Result* extended : settings_of(reproduction, "figure1", "", metric)) {
      table.caption = fmt::format("Figure 1: mean and standard deviation over {} repetitions", extended->count);
      table.rows.push_back({metric_title(metric),
                            mean_text(with(reproduction, *extended, study::classical_method, metric)),
                            mean_and_spread(*extended), said_of_figure1(metric)});
    }
  }
  return table.rows.empty() ? std::vector<Table>() : std::vector{table};
}

std::vector<Table> figure2_tables(const Reproduction& reproduction) {
  std::vector<Table> tables;
  for (const char* series : {"rows", "members"}) {
    Table table = figure2_table(reproduction, series);
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<Table> table2_tables(const Reproduction& reproduction) {
  std::vector<Table> tables;
  Table counts{.caption = "Numbers of the paper's Table 2 that lie inside the range of our repetitions",
               .headings = {"", "prior precision N λ", "prior precision λ"}};
  for (const study::RealData& set : study::table1()) {
    const Result* any = any_of(reproduction, set.name);
    if (any == nullptr) continue;
    tables.push_back(table2_of(reproduction, set, *any));
    counts.rows.push_back({set.title, count_inside(reproduction, set.name, study::LambdaReading::mean_loss),
                           count_inside(reproduction, set.name, study::LambdaReading::literal)});
  }
  if (!tables.empty()) tables.push_back(std::move(counts));
  if (Table synthetic = year_shape_table(reproduction); !synthetic.rows.empty()) tables.push_back(std::move(synthetic));
  return tables;
}

}  // namespace credens::cli
