// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/reproduce_parts.hpp"
#include "study/published.hpp"

namespace credens::cli {
namespace {

using study::MeasurementKey;
using study::Result;

Result result(const std::string& experiment, const MeasurementKey& key, double mean) {
  return {.experiment = experiment,
          .key = key,
          .mean = mean,
          .std = 0.01,
          .count = 20,
          .least = mean - 0.02,
          .largest = mean + 0.02};
}

/// Figure 2 with gamma = 7 / N and the rest made up.
Reproduction figure2() {
  Reproduction reproduction;
  const auto add = [&](MeasurementKey key, const char* method, const char* metric, double mean) {
    key.method = method;
    key.metric = metric;
    reproduction.results.push_back(result("figure2", key, mean));
  };
  const auto add_setting = [&](const MeasurementKey& key) {
    add(key, "classical", "function_coverage", 0.5);
    add(key, "extended", "function_coverage", 0.995);
    add(key, "classical", "epistemic_aleatoric_ratio_median", 0.1);
    add(key, "extended", "epistemic_aleatoric_ratio_median", 0.1 + 30.0 / static_cast<double>(key.rows));
    add(key, "extended", "rmse", 0.1);
  };
  for (const std::size_t rows : {100, 600, 3000}) {
    const MeasurementKey key{.series = "rows", .data = "figure2", .rows = rows, .members = 10};
    add_setting(key);
    add(key, "extended", "gamma", 900.0 / static_cast<double>(rows * rows));
    add(key, "extended", "width_ratio_training", 32.0 / static_cast<double>(rows));
    add(key, "extended", "elbo_isotropic_per_row", -1.5);
    add(key, "extended", "elbo_diagonal_per_row", -1.25);
    add(key, "extended", "elbo_full_per_row", -1.0);
  }
  for (const std::size_t rows : {100, 600, 3000}) {
    add({.series = "width", .data = "figure2", .rows = rows, .members = 20}, "extended", "gamma",
        7.0 / static_cast<double>(rows));
  }
  for (const std::size_t members : {1, 20}) {
    add_setting({.series = "members", .data = "figure2", .rows = 600, .members = members});
  }
  return reproduction;
}

Reproduction qsar() {
  Reproduction reproduction;
  for (const char* series : {"lambda_mean_loss", "lambda_literal"}) {
    for (const std::size_t members : {5, 10}) {
      for (const char* method : {"classical", "extended"}) {
        const MeasurementKey key{
            .series = series, .data = "qsar", .rows = 437, .members = members, .method = method, .metric = "rmse"};
        reproduction.results.push_back(result("table2", key, series[7] == 'm' ? 0.56 : 0.7));
      }
    }
  }
  study::add_published(reproduction.results);
  return reproduction;
}

TEST(MeanAndSpread, CoveragesArePercentAndOneValueStandsAlone) {
  Result one = result("figure1", {.metric = "function_coverage"}, 0.985);
  EXPECT_EQ(mean_and_spread(one), "98.5 % ± 1.0 %");
  one.key.metric = "rmse";
  one.std = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(mean_and_spread(one), "0.985");
}

TEST(Figure2Tables, HaveOneLinePerSetting) {
  const auto tables = figure2_tables(figure2());
  ASSERT_EQ(tables.size(), 2);
  EXPECT_EQ(tables[0].rows.size(), 3);
  EXPECT_EQ(tables[1].rows.size(), 2);
  EXPECT_EQ(tables[0].rows[1],
            (std::vector<std::string>{"600", "50.0 % ± 1.0 %", "99.5 % ± 1.0 %", "0.100 ± 0.010", "20"}));
}

TEST(Table2Tables, SayWhetherThePaperLiesInOurRange) {
  const auto tables = table2_tables(qsar());
  ASSERT_EQ(tables.size(), 2);
  EXPECT_EQ(tables[0].rows[0],
            (std::vector<std::string>{"RMSE, classical, 5 networks", "0.555", "0.560 ± 0.010", "0.540 to 0.580", "yes",
                                      "0.700 ± 0.010", "0.680 to 0.720", "no"}));
  EXPECT_EQ(tables[1].rows[0], (std::vector<std::string>{"QSAR aquatic toxicity", "4 of 4", "0 of 4"}));
}

Reproduction yacht() {
  Reproduction reproduction;
  const auto add = [&](const char* series, const char* method, const char* metric, double mean) {
    const MeasurementKey key{
        .series = series, .data = "yacht", .rows = 277, .members = 50, .method = method, .metric = metric};
    reproduction.results.push_back(result("uci", key, mean));
  };
  for (const char* series : {"standard", "gap"}) {
    for (const char* method : {"classical", "extended"}) {
      add(series, method, "rmse", 0.291);
      add(series, method, "nll", method[0] == 'c' ? -1.0 : -1.25);
      add(series, method, "total_coverage", 0.961);
    }
    add(series, "extended", "nll_gain", 0.25);
    add(series, "extended", "members", 50);
    add(series, "extended", "seconds", 12.3);
  }
  return reproduction;
}

TEST(UciTables, ShowOursBesideWhatIsPublished) {
  const auto tables = uci_tables(yacht());
  ASSERT_EQ(tables.size(), 4);
  EXPECT_EQ(tables[0].rows.at(0),
            (std::vector<std::string>{"yacht", "20", "50", "0.291 ± 0.0022", "-1.25 ± 0.0022", "96.1 %", "12 s",
                                      "0.48 / 0.16", "not recorded", "1.58 / 1.18"}));
  EXPECT_EQ(tables[1].rows.at(0).at(3), "0.250 ± 0.0022");
  EXPECT_EQ(tables[2].headings.size(), 7) << "nothing published stands beside the gap splits";
  for (const report::Table& table : tables) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.headings.size()) << table.caption;
  }
}

TEST(UciCharts, HaveOnePlacePerSet) {
  const report::Figure figure = uci_charts(yacht());
  ASSERT_EQ(figure.charts.size(), 2);
  for (const report::Chart& chart : figure.charts) {
    EXPECT_EQ(chart.x_names, std::vector<std::string>{"yacht"});
    EXPECT_NO_THROW(report::vega_lite_spec(chart)) << chart.title;
  }
  EXPECT_DOUBLE_EQ(std::get<report::Points>(figure.charts[0].marks[1]).y.at(0), -1.25 - 0.16);
  const auto& error = std::get<report::Intervals>(figure.charts[1].marks[2]);
  EXPECT_DOUBLE_EQ(error.upper.at(0), 0.25 + 0.01 / std::sqrt(20.0));
  EXPECT_TRUE(uci_charts({}).charts.empty());
}

TEST(Table2Tables, ShowTimeAndMemoryOfSyntheticRowsApart) {
  Reproduction reproduction;
  for (const auto& [metric, value] : {std::pair("rmse", 0.9), std::pair("seconds", 72.0),
                                      std::pair("rows_per_second", 654321.0), std::pair("peak_megabytes", 1234.4)}) {
    const MeasurementKey key{.series = "lambda_mean_loss",
                             .data = "year-synthetic",
                             .rows = 463'715,
                             .members = 10,
                             .method = "extended",
                             .metric = metric};
    reproduction.results.push_back(result("table2", key, value));
  }
  study::add_published(reproduction.results);
  const auto tables = table2_tables(reproduction);
  ASSERT_EQ(tables.size(), 1) << "no table beside the paper's numbers";
  EXPECT_EQ(tables[0].rows.at(0), (std::vector<std::string>{"463715", "10", "1 min 12 s", "654321", "1234 MB"}));
  EXPECT_NE(tables[0].caption.find("which are not Year"), std::string::npos);
}

TEST(ReproductionTables, AreNoneWithoutResults) {
  EXPECT_TRUE(figure1_tables({}).empty());
  EXPECT_TRUE(figure2_tables({}).empty());
  EXPECT_TRUE(table2_tables({}).empty());
  EXPECT_TRUE(uci_tables({}).empty());
  EXPECT_FALSE(theory_section({}).has_value());
}

TEST(Figure2Charts, BandsStayBelowOne) {
  const report::Figure figure = figure2_charts(figure2());
  ASSERT_EQ(figure.charts.size(), 4);
  for (const report::Chart& chart : figure.charts) {
    EXPECT_NO_THROW(report::vega_lite_spec(chart)) << chart.title;
    EXPECT_FALSE(chart.description.empty());
  }
  const auto& band = std::get<report::Band>(figure.charts[0].marks[3]);
  EXPECT_EQ(band.upper[0], 1.0) << "99.5 % + 1 % is more than all";
  EXPECT_DOUBLE_EQ(band.lower[0], 0.985);
}

TEST(TheorySection, FindsTheSlopeOfGamma) {
  const auto section = theory_section(figure2());
  ASSERT_TRUE(section.has_value());
  const auto& charts = section->figures.front().charts;
  ASSERT_EQ(charts.size(), 3);
  EXPECT_EQ(charts[0].subtitle, "slope -1.00, expected −1");
  for (const report::Chart& chart : charts) EXPECT_NO_THROW(report::vega_lite_spec(chart)) << chart.title;
}

TEST(TheorySection, ShowsTheGainAlongTheLadder) {
  const auto section = theory_section(figure2());
  const auto& line = std::get<report::Line>(section->figures.front().charts[2].marks[0]);
  EXPECT_EQ(line.y, (std::vector<double>{0, 0.25, 0.5}));
  EXPECT_EQ(section->figures.front().charts[2].x_names, (std::vector<std::string>{"isotropic", "diagonal", "full"}));
}

TEST(ReproductionPage, SaysWhatIsLeftOut) {
  Reproduction reproduction = qsar();
  reproduction.left_out.emplace_back("Year prediction MSD", "its file was not found");
  const report::Page page = reproduction_page(reproduction);
  EXPECT_EQ(page.sections.front().paragraphs.back(), "Year prediction MSD is left out: its file was not found.");
  EXPECT_EQ(page.sections.back().title, "Tables 1 and 2");
}

}  // namespace
}  // namespace credens::cli
