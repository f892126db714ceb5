// SPDX-License-Identifier: Apache-2.0

#include "study/table2.hpp"

#include <set>

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace credens::study {
namespace {

/// Rows like those of a public table: d inputs of which the second is constant, and a noisy target.
Dataset synthetic(std::size_t rows, std::uint64_t seed, std::size_t inputs = 4) {
  base::RandomStream random({.seed = seed, .purpose = base::Purpose::test});
  Matrix x(rows, inputs);
  Matrix y(rows, 1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (double& value : x.row(row)) value = random.normal();
    x(row, 1) = 5;
    y(row, 0) = 3 * x(row, 0) + random.normal();
  }
  return Dataset({.inputs = x, .targets = y});
}

const RealData& set_named(const std::string& name) {
  for (const RealData& set : table1()) {
    if (set.name == name) return set;
  }
  throw std::runtime_error("no " + name);
}

TEST(Table1, HasTheSettingsOfThePaper) {
  const RealData& blog = set_named("blog");
  EXPECT_EQ(table1().size(), 4);
  EXPECT_EQ(blog.learning_rate, 1e-5);
  EXPECT_EQ(blog.lambda, 1e-5);
  EXPECT_EQ(blog.batch, 64);
  EXPECT_EQ(blog.epochs, 50);
  EXPECT_EQ(set_named("yacht").batch, 8);
  EXPECT_EQ(set_named("year").learning_rate, 5e-5);
}

TEST(Table1Settings, ReadLambdaInTwoWays) {
  const RealData& qsar = set_named("qsar");
  EXPECT_DOUBLE_EQ(table1_settings(qsar, 437, LambdaReading::mean_loss, 0).prior_precision, 4.37);
  EXPECT_DOUBLE_EQ(table1_settings(qsar, 437, LambdaReading::literal, 0).prior_precision, 0.01);
  EXPECT_EQ(table1_settings(qsar, 437, LambdaReading::literal, 3).seed, 3);
  EXPECT_EQ(table1_settings(qsar, 437, LambdaReading::literal, 0).schedule, Schedule::halve_last_five);
}

TEST(RealRows, RandomSplitsHaveThePapersSizes) {
  const RealRows qsar(set_named("qsar"), synthetic(546, 1), {});
  EXPECT_EQ(qsar.train_rows(), 437);
  EXPECT_EQ(qsar.parts(0).train->rows(), 437);
  EXPECT_EQ(qsar.parts(0).test->rows(), 109);
  EXPECT_NE(qsar.parts(0).test->fingerprint(), qsar.parts(1).test->fingerprint());
  const RealRows yacht(set_named("yacht"), synthetic(308, 1), {});
  EXPECT_EQ(yacht.train_rows(), 246);
  EXPECT_EQ(yacht.parts(5).test->rows(), 62);
}

TEST(RealRows, OfficialSplitsStayAndLoseConstantInputs) {
  const RealRows blog(set_named("blog"), synthetic(50, 1), synthetic(20, 2));
  EXPECT_TRUE(blog.has_official_split());
  EXPECT_EQ(blog.inputs(), 3);
  EXPECT_EQ(blog.parts(0).train, blog.parts(1).train);
  EXPECT_EQ(blog.parts(0).test->rows(), 20);
  const Dataset whole = synthetic(20, 2);
  EXPECT_EQ(blog.parts(0).test->inputs()(7, 0), whole.inputs()(7, 0));
  EXPECT_EQ(blog.parts(0).test->inputs()(7, 1), whole.inputs()(7, 2));
  EXPECT_EQ(blog.parts(0).test->targets()(7, 0), whole.targets()(7, 0));
}

TEST(Table2Runs, MeasureBothSizesInBothReadings) {
  RealData set = set_named("qsar");
  set.epochs = 60;
  set.learning_rate = 0.01;
  const auto rows = std::make_shared<const RealRows>(set, synthetic(80, 3), Dataset());
  const auto runs = table2_runs(rows, 2);
  ASSERT_EQ(runs.size(), 4);
  std::set<std::string> cells;
  for (const auto& run : runs) {
    for (const Measurement& measurement : run.work({})) {
      const MeasurementKey& key = measurement.key;
      EXPECT_EQ(key.data, "qsar");
      EXPECT_EQ(key.rows, 64);
      if (key.metric == "rmse") {
        cells.insert(key.series + " " + key.method + " " + std::to_string(key.members));
        EXPECT_LT(measurement.value, 1.2) << "in standard deviations of the targets";
      }
    }
  }
  EXPECT_EQ(cells.size(), 8);
  EXPECT_TRUE(cells.contains("lambda_mean_loss classical 5"));
  EXPECT_TRUE(cells.contains("lambda_literal extended 10"));
}

TEST(Table2Runs, KnowTheirRows) {
  const auto settings = [](std::uint64_t seed) {
    return table2_runs(std::make_shared<const RealRows>(set_named("qsar"), synthetic(30, seed), Dataset()), 1)
        .front()
        .settings;
  };
  EXPECT_EQ(settings(1), settings(1));
  EXPECT_NE(settings(1), settings(2)) << "a run of other rows must not stand for this one";
}

TEST(Table2Runs, KnowAllTheirSettings) {
  const auto settings = [](const auto& change) {
    RealData set = set_named("qsar");
    change(set);
    return table2_runs(std::make_shared<const RealRows>(set, synthetic(30, 1), Dataset()), 1).front().settings;
  };
  const std::string usual = settings([](RealData&) {});
  EXPECT_NE(settings([](RealData& set) { set.lambda = 1; }), usual);
  EXPECT_NE(settings([](RealData& set) { set.batch = 1; }), usual);
  EXPECT_NE(settings([](RealData& set) { set.epochs = 1; }), usual);
  EXPECT_NE(settings([](RealData& set) { set.learning_rate = 1; }), usual);
}

}  // namespace
}  // namespace credens::study
