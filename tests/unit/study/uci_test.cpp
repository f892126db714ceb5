// SPDX-License-Identifier: Apache-2.0

#include "study/uci.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "support/known_sets.hpp"
#include "support/temporary_folder.hpp"
#include "support/uci_folder.hpp"

namespace credens::study {
namespace {

class UciRuns : public testing::Test {
 protected:
  UciRuns() {
    test::put_uci_folder(folder.path());
    yacht = find_uci_rows(uci_set("yacht"), folder.path());
  }

  static FitOptions small_fit() {
    return {.recipe = Recipe::paper, .members = 3, .hidden = {{8, 4}}, .epochs = 40, .batch = 8, .learning_rate = 0.02};
  }

  const test::TemporaryFolder folder;
  std::shared_ptr<const UciRows> yacht;
};

TEST_F(UciRuns, MeasureBothMethods) {
  const auto measured = uci_runs(yacht, "standard", {1, 2}, small_fit()).at(0).work({});
  std::map<std::string, double> values;
  for (const Measurement& measurement : measured) {
    EXPECT_EQ(measurement.key.series, "standard");
    EXPECT_EQ(measurement.key.data, "yacht");
    EXPECT_EQ(measurement.key.rows, 30);
    EXPECT_EQ(measurement.key.members, 0);
    values[measurement.key.method + " " + measurement.key.metric] = measurement.value;
  }
  for (const std::string method : {"classical ", "extended "}) {
    for (const char* metric : {"rmse", "nll", "nll_gaussian", "crps", "total_coverage", "epistemic_coverage"}) {
      EXPECT_TRUE(values.contains(method + metric)) << method << metric;
    }
  }
  EXPECT_EQ(values.size(), 15);
  EXPECT_LT(values["extended rmse"], 1.5) << "the standard deviation of the targets is about 1.7";
  EXPECT_NEAR(values["extended nll_gain"], values["classical nll"] - values["extended nll"], 1e-12);
  EXPECT_GT(values["extended epistemic_coverage"], values["classical epistemic_coverage"] - 1e-12);
  EXPECT_EQ(values["extended members"], 3);
  EXPECT_GT(values["extended seconds"], 0);
}

TEST_F(UciRuns, AreTheSplitsThatThereAre) {
  EXPECT_EQ(uci_runs(yacht, "standard", {0, 100}, small_fit()).size(), 4);
  EXPECT_EQ(uci_runs(yacht, "gap", {0, 100}, small_fit()).size(), 2);
  EXPECT_EQ(uci_runs(yacht, "standard", {1, 3}, small_fit()).size(), 2);
  EXPECT_TRUE(uci_runs(yacht, "gap", {7, 9}, small_fit()).empty());
}

TEST_F(UciRuns, HaveNamesAndSettingsOfTheirOwn) {
  std::set<std::string> names;
  std::set<std::string> settings;
  for (const char* series : {"standard", "gap"}) {
    for (const auto& run : uci_runs(yacht, series, {0, 100}, small_fit())) {
      names.insert(run.name);
      settings.insert(run.settings);
    }
  }
  EXPECT_EQ(names.size(), 6);
  EXPECT_EQ(settings.size(), 6);
  FitOptions other = small_fit();
  other.prior_precision = 2;
  EXPECT_FALSE(settings.contains(uci_runs(yacht, "gap", {0, 1}, other).front().settings));
}

TEST(FillMembers, PutsTheirMeanIntoTheKeys) {
  std::vector<Result> results = {
      {.experiment = "uci", .key = {.series = "gap", .data = "a", .metric = "rmse"}},
      {.experiment = "uci", .key = {.series = "gap", .data = "a", .metric = "members"}, .mean = 47.6},
      {.experiment = "uci", .key = {.series = "gap", .data = "b", .metric = "rmse"}},
      {.experiment = "figure1", .key = {.members = 10, .metric = "rmse"}}};
  fill_members(results);
  EXPECT_EQ(results[0].key.members, 48);
  EXPECT_EQ(results[1].key.members, 48);
  EXPECT_EQ(results[2].key.members, 0);
  EXPECT_EQ(results[3].key.members, 10);
}

TEST(UciPublished, KnowsEverySet) {
  for (const UciSet& set : uci_sets()) ASSERT_NE(uci_published(set.name), nullptr) << set.name;
  EXPECT_EQ(uci_published("concrete")->ensembles_rmse, 6.03);
  EXPECT_EQ(uci_published("airfoil")->ensembles_nll, std::nullopt);
  EXPECT_EQ(uci_published("wine"), nullptr);
}

}  // namespace
}  // namespace credens::study
