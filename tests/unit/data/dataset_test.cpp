// SPDX-License-Identifier: Apache-2.0

#include <credens/dataset.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "data/schema.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens {
namespace {

using testing::ElementsAre;

/// Row i holds i, 10 i and the target 100 i.
DatasetParts parts_of(std::size_t rows) {
  DatasetParts parts{.inputs = Matrix(rows, 2), .targets = Matrix(rows, 1)};
  for (std::size_t i = 0; i < rows; ++i) {
    parts.inputs(i, 0) = static_cast<double>(i);
    parts.inputs(i, 1) = 10.0 * static_cast<double>(i);
    parts.targets(i, 0) = 100.0 * static_cast<double>(i);
    parts.weights.push_back(static_cast<double>(i + 1));
  }
  parts.noise_std = Matrix(rows, 1, 0.5);
  return parts;
}

std::vector<double> column(MatrixView values, std::size_t col) {
  std::vector<double> result;
  for (std::size_t row = 0; row < values.rows(); ++row) result.push_back(values(row, col));
  return result;
}

std::function<void()> making(const std::function<void(DatasetParts&)>& change) {
  return [change] {
    DatasetParts parts = parts_of(3);
    change(parts);
    Dataset{std::move(parts)};
  };
}

auto Refused(const std::string& words) {
  return test::Fails(ErrorCode::data, words);
}

TEST(Dataset, FillsInWhatIsNotGiven) {
  const Dataset data(parts_of(3));
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_THAT(data.target_names(), ElementsAre("y"));
  EXPECT_TRUE(data.input_names().empty());
  EXPECT_THAT(data.input_columns(), ElementsAre(0, 1));
  EXPECT_EQ(data.table_columns(), 2U);
}

TEST(Dataset, RefusesPositionsBeyondTheTable) {
  data::Schema schema = data::schema_of(parts_of(3));
  schema.inputs[1].position = 2;
  EXPECT_THAT(([&] { Dataset(parts_of(3), schema); }), Refused("an input is column 2 of a table of 2"));
  schema.table_columns = 3;
  schema.targets[0].position = 3;
  EXPECT_THAT(([&] { Dataset(parts_of(3), schema); }), Refused("a target is column 3 of a table of 3"));
}

TEST(Dataset, RefusesShapesThatDisagree) {
  EXPECT_THAT(making([](auto& p) { p.targets = Matrix(2, 1); }),
              Refused("targets are 2 x 1, expected 3 rows and at least one column"));
  EXPECT_THAT(making([](auto& p) { p.targets = {}; }), Refused("targets are 0 x 0"));
  EXPECT_THAT(making([](auto& p) { p.inputs = {}; }),
              Refused("inputs are 0 x 0, expected at least one row and one column"));
  EXPECT_THAT(making([](auto& p) { p.weights.pop_back(); }), Refused("2 weights for 3 rows"));
  EXPECT_THAT(making([](auto& p) { p.noise_std = Matrix(3, 2, 1.0); }), Refused("noise is 3 x 2, expected 3 x 1"));
  EXPECT_THAT(making([](auto& p) { p.input_names = {"a"}; }), Refused("1 name for 2 inputs"));
  EXPECT_THAT(making([](auto& p) { p.target_names = {"a", "b"}; }), Refused("2 names for 1 target"));
  EXPECT_THAT(making([](auto& p) { p.noise_names = {"a", "b"}; }), Refused("2 names of noise for 1 target"));
}

TEST(Dataset, RefusesCodesThatAreNoLevels) {
  const auto with_code = [](double code) {
    return making([code](auto& p) {
      p.input_kinds = {ColumnKind::category, ColumnKind::number};
      p.input_levels = {{"red"}, {}};
      for (std::size_t i = 0; i < p.inputs.rows(); ++i) p.inputs(i, 0) = 0;
      p.inputs(1, 0) = code;
    });
  };
  for (const double code : {-1.0, 0.5, 2.0, 1e300}) {
    EXPECT_THAT(with_code(code), Refused("inputs: row 1, column 0 is"));
  }
  EXPECT_NO_THROW(with_code(std::nan(""))());
}

TEST(Dataset, RefusesValuesThatAreNoUse) {
  EXPECT_THAT(making([](auto& p) { p.inputs(1, 0) = -INFINITY; }),
              Refused("inputs: row 1, column 0 is -inf, expected a finite number"));
  EXPECT_THAT(making([](auto& p) { p.targets(2, 0) = INFINITY; }), Refused("targets: row 2, column 0 is inf"));
  EXPECT_THAT(making([](auto& p) { p.weights[1] = -1; }),
              Refused("the weight of row 1 is -1, expected a number that is not negative"));
  EXPECT_THAT(making([](auto& p) { p.weights[1] = std::nan(""); }), Refused("the weight of row 1 is nan"));
  EXPECT_THAT(making([](auto& p) { p.weights = {0, 0, 0}; }), Refused("all weights are 0"));
  EXPECT_THAT(making([](auto& p) {
                p.weights = {1e308, 1e308, 1};
              }),
              Refused("the sum of the weights is beyond the largest double"));
  EXPECT_THAT(making([](auto& p) { p.noise_std(0, 0) = 0; }),
              Refused("noise: row 0, column 0 is 0, expected a number above 0"));
  EXPECT_THAT(making([](auto& p) { p.noise_std(2, 0) = 1e-200; }),
              Refused("noise: row 2, column 0 is 1e-200, whose square is no usable variance"));
  EXPECT_THAT(making([](auto& p) { p.noise_std(2, 0) = 1e200; }),
              Refused("noise: row 2, column 0 is 1e+200, whose square is no usable variance"));
}

TEST(Dataset, RefusesNamesThatAreNoUse) {
  EXPECT_THAT(making([](auto& p) {
                p.input_names = {"a", "a"};
              }),
              Refused("inputs 0 and 1 are both named \"a\", expected different names"));
  EXPECT_THAT(making([](auto& p) {
                p.input_names = {"a", "b\n"};
              }),
              Refused("the input name \"b\\x0a\" is not one line of UTF-8"));
  EXPECT_THAT(making([](auto& p) { p.target_names = {"\xff"}; }),
              Refused("the target name \"\\xff\" is not one line of UTF-8"));
  EXPECT_THAT(making([](auto& p) { p.target_names = {""}; }), Refused("a target has an empty name"));
}

TEST(Dataset, SelectsRowsInTheOrderGiven) {
  const std::vector<std::size_t> rows = {2, 0, 2};
  const Dataset data = Dataset(parts_of(4)).select(rows);
  EXPECT_THAT(column(data.inputs(), 1), ElementsAre(20, 0, 20));
  EXPECT_THAT(column(data.targets(), 0), ElementsAre(200, 0, 200));
  EXPECT_THAT(data.weights(), ElementsAre(3, 1, 3));
  EXPECT_EQ(data.noise_std().rows(), 3U);
  EXPECT_THAT(data.input_columns(), ElementsAre(0, 1));
}

TEST(Dataset, RefusesToSelectRowsThatAreNotThere) {
  const Dataset data(parts_of(3));
  const std::vector<std::size_t> beyond = {0, 3};
  EXPECT_THAT([&] { data.select(beyond); }, test::Fails(ErrorCode::usage, "row 3 is selected from 3 rows"));
  EXPECT_THAT([&] { data.select({}); }, Refused("inputs are 0 x"));
}

TEST(Dataset, SplitsIntoRowsInTheirOldOrder) {
  const auto [rest, test] = Dataset(parts_of(10)).split({.test_fraction = 0.3, .seed = 1});
  EXPECT_EQ(rest.rows(), 7U);
  EXPECT_EQ(test.rows(), 3U);
  EXPECT_THAT(column(rest.inputs(), 0), testing::Pointwise(testing::Lt(), std::vector<double>(7, 10)));
  EXPECT_TRUE(std::ranges::is_sorted(column(rest.inputs(), 0)));
  EXPECT_TRUE(std::ranges::is_sorted(column(test.inputs(), 0)));
  std::set<double> all;
  for (const double x : column(rest.inputs(), 0)) all.insert(x);
  for (const double x : column(test.inputs(), 0)) all.insert(x);
  EXPECT_EQ(all.size(), 10U);
}

TEST(Dataset, IsTheSameFromAllKindsOfFiles) {
  const test::TemporaryFolder folder;
  base::write_file(folder / "t.csv", "1,2,3\n4,5,6\n");
  data::write_npy(folder / "t.npy", {.shape = {2, 3}, .values = {1, 2, 3, 4, 5, 6}});
  const DatasetOptions options{.targets = {"-1"}};
  const Dataset arrays(DatasetParts{.inputs = Matrix(2, 2, std::vector<double>{1, 2, 4, 5}),
                                    .targets = Matrix(2, 1, std::vector<double>{3, 6})});
  EXPECT_EQ(Dataset::from_csv(folder / "t.csv", options).fingerprint(), arrays.fingerprint());
  EXPECT_EQ(Dataset::from_npy(folder / "t.npy", options).fingerprint(), arrays.fingerprint());
  EXPECT_EQ(Dataset::from_file(folder / "t.csv", options).fingerprint(), arrays.fingerprint());
  EXPECT_EQ(Dataset::from_file(folder / "t.npy", options).fingerprint(), arrays.fingerprint());
}

/// The numbers of the rows on both sides of a split, (rest, test).
std::pair<std::vector<double>, std::vector<double>> split_rows(std::size_t rows, const SplitOptions& options) {
  const auto [rest, test] = Dataset(parts_of(rows)).split(options);
  return {column(rest.inputs(), 0), column(test.inputs(), 0)};
}

RC_GTEST_PROP(Split, GivesEveryRowToOneSide, ()) {
  const auto rows = *rc::gen::inRange<std::size_t>(2, 300);
  const double fraction = *rc::gen::inRange(1, 1000) / 1000.0;
  const auto [rest, test] = split_rows(rows, {.test_fraction = fraction, .seed = *rc::gen::arbitrary<std::uint64_t>()});
  RC_ASSERT(std::is_sorted(rest.begin(), rest.end()));
  RC_ASSERT(std::is_sorted(test.begin(), test.end()));
  std::vector<double> all;
  std::ranges::merge(rest, test, std::back_inserter(all));
  for (std::size_t i = 0; i < all.size(); ++i) RC_ASSERT(all[i] == static_cast<double>(i));
  RC_ASSERT(all.size() == rows);
  const auto wanted = static_cast<std::size_t>(std::llround(fraction * static_cast<double>(rows)));
  RC_ASSERT(test.size() == std::clamp<std::size_t>(wanted, 1, rows - 1));
}

TEST(Split, DependsOnTheSeedAlone) {
  const auto first = split_rows(100, {.test_fraction = 0.5, .seed = 1}).second;
  EXPECT_EQ(split_rows(100, {.test_fraction = 0.5, .seed = 1}).second, first);
  EXPECT_NE(split_rows(100, {.test_fraction = 0.5, .seed = 2}).second, first);
}

TEST(Split, TakesEveryRowEquallyOften) {
  std::vector<int> count(10);
  constexpr int trials = 2000;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    for (const double row : split_rows(10, {.test_fraction = 0.3, .seed = seed}).second) {
      ++count[static_cast<std::size_t>(row)];
    }
  }
  // Binomial with mean 600 and standard deviation 20.5.
  for (const int hits : count) EXPECT_NEAR(hits, 600, 5 * 20.5);
}

TEST(Split, RefusesWhatCannotBeSplit) {
  const auto splitting = [](std::size_t rows, double fraction) {
    return [=] { split_rows(rows, {.test_fraction = fraction}); };
  };
  EXPECT_THAT(splitting(1, 0.1), test::Fails(ErrorCode::usage, "1 rows cannot be split, expected at least 2"));
  EXPECT_THAT(splitting(10, 1), test::Fails(ErrorCode::usage, "the test fraction is 1"));
  EXPECT_THAT(splitting(10, 0), test::Fails(ErrorCode::usage, "the test fraction is 0"));
  EXPECT_THAT(splitting(10, std::nan("")), test::Fails(ErrorCode::usage, "the test fraction is nan"));
}

}  // namespace
}  // namespace credens
