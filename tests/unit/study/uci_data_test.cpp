// SPDX-License-Identifier: Apache-2.0

#include "study/uci_data.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/error_matchers.hpp"
#include "support/known_sets.hpp"
#include "support/temporary_folder.hpp"
#include "support/uci_folder.hpp"

namespace credens::study {
namespace {

/// Nothing outside `folder` is looked at.
class UciData : public testing::Test {
 protected:
  UciData() { test::put_uci_folder(folder.path()); }

  const test::TemporaryFolder folder;
  const test::Variable data{"CREDENS_DATA", std::nullopt};
  const test::Variable cache{"XDG_CACHE_HOME", (folder / "cache").string()};

  std::shared_ptr<const UciRows> find(const char* name) const { return find_uci_rows(uci_set(name), folder.path()); }
};

TEST_F(UciData, KnowsTheSets) {
  EXPECT_EQ(uci_sets().size(), 6);
  for (const char* name : {"yacht", "bostonHousing", "concrete", "airfoil", "power-plant", "naval"}) {
    EXPECT_EQ(uci_set(name).name, name);
  }
  EXPECT_THAT([] { uci_set("boston"); }, test::Fails(ErrorCode::usage, "\"boston\"", "bostonHousing"));
}

TEST_F(UciData, ReadsRowsAndSplits) {
  const auto yacht = find("yacht");
  ASSERT_NE(yacht, nullptr);
  EXPECT_EQ(yacht->splits("standard"), 4);
  EXPECT_EQ(yacht->splits("gap"), 2);
  const Parts parts = yacht->parts("standard", 1);
  EXPECT_EQ(parts.train->rows(), 30);
  EXPECT_EQ(parts.test->rows(), 10);
  EXPECT_EQ(parts.test->inputs().cols(), 6);
  const Dataset all = Dataset::from_csv(folder / "uci-benchmark/yacht/data.txt",
                                        {.targets = {"6"}, .format = {.header = false, .delimiter = ' '}});
  EXPECT_EQ(parts.test->targets()(2, 0), all.targets()(9, 0)) << "rows 1, 5, 9, ...";
  EXPECT_EQ(yacht->parts("gap", 1).test->rows(), 20);
}

TEST_F(UciData, IsNothingWhereTheSetIsAbsent) {
  EXPECT_EQ(find("concrete"), nullptr);
}

TEST_F(UciData, GapSplitsMayBeAbsent) {
  std::filesystem::remove_all(folder / "uci-gap");
  EXPECT_EQ(find("yacht")->splits("gap"), 0);
  EXPECT_EQ(find("yacht")->splits("standard"), 4);
}

TEST_F(UciData, LeavesColumnsBehindTheTargetAlone) {
  test::put_index(folder / "uci-benchmark/naval-propulsion-plant", 10, 2);
  std::ofstream(folder / "uci-benchmark/naval-propulsion-plant/data.txt") << test::uci_text(10, 17);
  EXPECT_EQ(find("naval")->parts("standard", 0).train->inputs().cols(), 16);
}

TEST_F(UciData, AirfoilIsSplitAtRandomWithAStandardisedTarget) {
  const auto airfoil = find("airfoil");
  EXPECT_EQ(airfoil->splits("standard"), 5);
  EXPECT_EQ(airfoil->splits("gap"), 0);
  const Parts parts = airfoil->parts("standard", 0);
  EXPECT_EQ(parts.train->rows(), 24);
  EXPECT_EQ(parts.test->rows(), 6);
  double sum = 0;
  double squares = 0;
  for (std::size_t row = 0; row < 24; ++row) {
    sum += parts.train->targets()(row, 0);
    squares += parts.train->targets()(row, 0) * parts.train->targets()(row, 0);
  }
  EXPECT_NEAR(sum, 0, 1e-9);
  EXPECT_NEAR(squares / 24, 1, 1e-9);
  const double per_row = (parts.test->targets()(1, 0) - parts.test->targets()(0, 0)) /
                         (parts.test->inputs()(1, 0) - parts.test->inputs()(0, 0));
  const double per_training_row = (parts.train->targets()(1, 0) - parts.train->targets()(0, 0)) /
                                  (parts.train->inputs()(1, 0) - parts.train->inputs()(0, 0));
  EXPECT_NEAR(per_row, per_training_row, 1e-9) << "test rows are scaled like training rows";
  EXPECT_NE(airfoil->parts("standard", 1).test->fingerprint(), parts.test->fingerprint());
}

TEST_F(UciData, SaysWhatIsWrongWithASplit) {
  const std::filesystem::path index = folder / "uci-benchmark/yacht/test_index.txt";
  std::ofstream(index) << "1 2\n3 40\n1\n1\n";
  EXPECT_THAT([&] { find("yacht"); },
              test::Fails(ErrorCode::data, "test_index.txt:2: \"40\" is no row, expected a whole number from 0 to 39"));
  std::ofstream(index) << "1 x\n";
  EXPECT_THAT([&] { find("yacht"); }, test::Fails(ErrorCode::data, "\"x\" is no row"));
  std::ofstream(index) << "0\n";
  EXPECT_THAT([&] { find("yacht"); }, test::Fails(ErrorCode::data, "4 splits in train_index.txt and 1 in"));
  std::ofstream(index) << "1\n1\n1\n1\n";
  EXPECT_THAT([&] { find("yacht"); }, test::Fails(ErrorCode::data, "split 0 has row 1 twice"));
}

}  // namespace
}  // namespace credens::study
