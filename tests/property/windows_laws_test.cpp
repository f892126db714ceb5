// SPDX-License-Identifier: Apache-2.0
//
// Fits whose rows are more than a window holds. Windows are made small, so that few rows are many.

#include <credens/score.hpp>
#include <credens/store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "learn/fit.hpp"
#include "small_fit.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens {
namespace {

constexpr std::size_t rows = 500;
constexpr learn::WindowSize small_window{.window = 8192, .block = 1024};  // about 100 rows, and 12

std::vector<model::Member> train(learn::Fit& fit) {
  std::vector<std::size_t> all(*fit.plan().options.members);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return fit.train(fit.plan().options, all);
}

/// With the window of a fit, or another one.
Ensemble fit_in_windows(std::unique_ptr<data::RowSource> source, FitOptions options, const learn::WindowSize& window) {
  const Dataset* const validation = std::exchange(options.validation, nullptr);
  learn::Fit fit(std::move(source), options, base::alone(), window);
  fit.check();
  if (validation != nullptr) fit.set_validation(*validation);
  return fit.wide(train(fit));
}

FitOptions quick(Recipe recipe) {
  FitOptions options{.recipe = recipe, .members = 4, .hidden = {{6, 4}}, .epochs = 2, .batch = 16, .seed = 9};
  if (recipe == Recipe::automatic) options.embedding = {0, 0.5};
  return options;
}

/// Columns a, b, w, s, t, u, v of an array: two inputs, weight, two noises, two targets.
class RowsOfAnArray : public testing::Test {
 protected:
  RowsOfAnArray() {
    const Dataset made = made_up_data(rows, 2, 3);
    base::RandomStream random({.seed = 4, .purpose = base::Purpose::test});
    data::NpyArray array{.shape = {rows, 7}, .values = {}};
    for (std::size_t i = 0; i < rows; ++i) {
      const double weight = i % 9 == 0 ? 0 : random.uniform(0.2, 3);
      const double values[] = {made.inputs()(i, 0),      made.inputs()(i, 1),      weight,
                               random.uniform(0.1, 0.3), random.uniform(0.1, 0.3), made.targets()(i, 0),
                               made.targets()(i, 1)};
      array.values.insert(array.values.end(), std::begin(values), std::end(values));
    }
    data::write_npy(path_, array);
  }

  std::string bytes_of(const Ensemble& ensemble) const {
    save(ensemble, folder_ / "model");
    return base::read_file(folder_ / "model");
  }

  std::string held_bytes(const DatasetOptions& columns, FitOptions options, const learn::WindowSize& window) const {
    const Dataset dataset = Dataset::from_file(path_, columns);
    EXPECT_EQ(learn::TrainingTable(dataset, window).windows().is_one(), window.window > small_window.window);
    return bytes_of(fit_in_windows(data::rows_of(dataset), options, window));
  }

  /// With windows for two threads, which is less than all rows need.
  std::string stored_bytes(const DatasetOptions& columns, FitOptions options) const {
    options.memory = {2 * small_window.window};
    const learn::TrainingTable table(data::open_rows(path_, columns), small_window);
    const learn::TrainingRows stored(table, learn::make_plan(options, table).options);
    EXPECT_TRUE(stored.are_stored() && stored.train().targets.empty());
    return bytes_of(fit_in_windows(data::open_rows(path_, columns), options, small_window));
  }

  void expect_same_bytes(const DatasetOptions& columns, FitOptions options) const {
    options.threads = 1;
    const std::string held = held_bytes(columns, options, small_window);
    EXPECT_NE(held_bytes(columns, options, {}), held);
    EXPECT_EQ(stored_bytes(columns, options), held);
    options.threads = 3;
    EXPECT_EQ(held_bytes(columns, options, small_window), held);
    EXPECT_EQ(stored_bytes(columns, options), held);
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "t.npy";
};

const DatasetOptions one_target{.targets = {"5"}, .inputs = {"0", "1"}};
const DatasetOptions all_parts{.targets = {"5", "6"}, .inputs = {"0", "1"}, .weight = "2", .noise_std = {"3", "4"}};

TEST_F(RowsOfAnArray, GiveTheSameBytesFromMemoryAndFromTheFile) {
  for (const Recipe recipe : {Recipe::paper, Recipe::automatic}) {
    expect_same_bytes(one_target, quick(recipe));
    expect_same_bytes(all_parts, quick(recipe));
  }
}

TEST_F(RowsOfAnArray, GiveTheSameBytesForAnyNumberOfFolds) {
  for (const std::size_t folds : {1, 2, 10}) {
    FitOptions options = quick(Recipe::automatic);
    options.folds = folds;
    expect_same_bytes(all_parts, options);
  }
}

TEST_F(RowsOfAnArray, GiveTheSameBytesWithRowsOfValidation) {
  FitOptions options = quick(Recipe::automatic);
  options.validation_fraction = 0.2;
  expect_same_bytes(all_parts, options);
  options.validation_fraction = 0;
  const Dataset validation = Dataset::from_file(path_, all_parts);
  options.validation = &validation;
  expect_same_bytes(all_parts, options);
}

TEST_F(RowsOfAnArray, GiveTheSameMembersTogetherAndOneByOne) {
  const learn::TrainingTable table(data::open_rows(path_, all_parts), small_window);
  FitOptions options = learn::make_plan(quick(Recipe::automatic), table).options;
  options.memory = {1};
  const learn::TrainingRows train(table, options);
  const std::vector<model::Member> together =
      learn::train_members(train, options, std::vector<std::size_t>{0, 1, 2, 3});
  for (const std::size_t index : {3, 1}) {
    const std::vector<model::Member> alone = learn::train_members(train, options, std::vector<std::size_t>{index});
    EXPECT_TRUE(std::ranges::equal(alone.front().network->parameters(), together[index].network->parameters()));
  }
}

TEST_F(RowsOfAnArray, WithKnownNoiseOnly) {
  FitOptions options = quick(Recipe::automatic);
  options.noise = NoiseKind::known;
  expect_same_bytes(all_parts, options);
}

TEST_F(RowsOfAnArray, AreRefusedWhereTheyComeAsTextAndDoNotFit) {
  std::string text = "a,y\n";
  for (std::size_t i = 0; i < rows; ++i) text += fmt::format("{},{}\n", i, i % 7);
  base::write_file(folder_ / "t.csv", text);
  const learn::TrainingTable table(data::open_rows(folder_ / "t.csv", {.targets = {"y"}}), small_window);
  FitOptions options = learn::make_plan(quick(Recipe::paper), table).options;
  EXPECT_NO_THROW(learn::TrainingRows(table, options));
  options.memory = {1000};
  EXPECT_THAT([&] { learn::TrainingRows(table, options); }, test::Fails(ErrorCode::usage, "credens pack"));
}

TEST_F(RowsOfAnArray, MustStayWhereTheyWere) {
  const learn::TrainingTable table(data::open_rows(path_, one_target), small_window);
  FitOptions options = learn::make_plan(quick(Recipe::paper), table).options;
  options.memory = {1};
  const learn::TrainingRows train(table, options);
  std::filesystem::rename(path_, folder_ / "old.npy");
  std::filesystem::copy(folder_ / "old.npy", path_);
  EXPECT_THAT([&] { learn::train_members(train, options, std::vector<std::size_t>{0}); },
              test::Fails(ErrorCode::data, "changed while it was read"));
}

/// y = sin(3 a) + b / 3 plus noise, in ascending order of a: blocks have nothing in common.
Dataset sorted_data(std::size_t count, std::uint64_t seed) {
  const Dataset made = made_up_data(count, 1, seed);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t row) { return made.inputs()(row, 0); });
  return Dataset({.inputs = rows_in_order(made.inputs(), order), .targets = rows_in_order(made.targets(), order)});
}

/// Windows of 60 blocks; those of a fit have 1,024.
TEST(Windows, LearnWhatAllRowsTogetherTeachEvenFromASortedTable) {
  constexpr learn::WindowSize window{.window = 60 * 1024, .block = 1024};
  const Dataset train = sorted_data(6000, 1);
  const Dataset test = made_up_data(4000, 1, 2);
  for (const Recipe recipe : {Recipe::paper, Recipe::automatic}) {
    FitOptions options{.recipe = recipe, .members = 4, .hidden = {{24, 12}}, .epochs = 12, .batch = 32, .seed = 2};
    const auto nll = [&](const learn::WindowSize& size) {
      return score(fit_in_windows(data::rows_of(train), options, size).predict(test.inputs()), test.targets()).nll;
    };
    const double together = nll({});
    const double in_windows = nll(window);
    RecordProperty(recipe == Recipe::paper ? "paper" : "auto", fmt::format("{:.4f} {:.4f}", together, in_windows));
    EXPECT_LT(in_windows, together + 0.02);
  }
}

}  // namespace
}  // namespace credens
