// SPDX-License-Identifier: Apache-2.0

#include "data/kinds.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>

#include "data/date.hpp"
#include "data/row_source.hpp"
#include "data/row_summary.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

TEST(RecognisedKind, NeedsHalfOfTheCells) {
  EXPECT_EQ(recognised_kind({.numbers = 4, .words = 4}), ColumnKind::number);
  EXPECT_EQ(recognised_kind({.numbers = 4, .words = 5}), ColumnKind::category);
  EXPECT_EQ(recognised_kind({.dates = 4, .words = 4}), ColumnKind::date);
  EXPECT_EQ(recognised_kind({.numbers = 2, .dates = 2}), ColumnKind::number);
  EXPECT_EQ(recognised_kind({.numbers = 2, .dates = 2, .words = 2}), ColumnKind::category);
  EXPECT_EQ(recognised_kind({}), ColumnKind::number);
}

class MixedTable : public testing::Test {
 protected:
  std::unique_ptr<RowSource> open(const std::string& text, DatasetOptions options = {}) {
    std::ofstream(folder_ / "t.csv", std::ios::binary) << text;
    if (options.targets.empty()) options.targets = {"y"};
    return open_rows(folder_ / "t.csv", options);
  }

  Dataset read(const std::string& text, const DatasetOptions& options = {}) {
    return read_dataset(*open(text, options));
  }

  test::TemporaryFolder folder_;
};

TEST_F(MixedTable, HasKindsAndLevels) {
  const Dataset data =
      read("x,colour,when,y\n1,red,2024-01-01,1\n,\"a \"\"b\"\"\",NA,2\n3,?,2024-01-03,3\n4,red,2024-01-04,4\n");
  const Schema& schema = data.schema();
  EXPECT_EQ(schema.inputs[0].kind, ColumnKind::number);
  EXPECT_EQ(schema.inputs[1].kind, ColumnKind::category);
  EXPECT_EQ(schema.inputs[2].kind, ColumnKind::date);
  EXPECT_EQ(schema.inputs[1].levels, (std::vector<std::string>{"red", "a \"b\""}));
  EXPECT_TRUE(std::isnan(data.inputs()(1, 0)));
  EXPECT_EQ(data.inputs()(1, 1), 1);
  EXPECT_TRUE(std::isnan(data.inputs()(2, 1)));
  EXPECT_EQ(data.inputs()(3, 1), 0);
  EXPECT_TRUE(std::isnan(data.inputs()(1, 2)));
  EXPECT_EQ(data.inputs()(3, 2), 1704326400);
}

TEST_F(MixedTable, RefusesAWordAmongNumbersWithAHint) {
  EXPECT_THAT(
      [&] { read("x,y\n1,1\n2,1\n3,1\n4x,1\n5,1\n6,1\n"); },
      test::Fails(ErrorCode::data,
                  "t.csv:5:1 (x): \"4x\" is not a number; --missing takes text that stands for a missing value, "
                  "--categories columns of words"));
  const Dataset words = read("x,y\n1,1\n2,1\n3,1\n4x,1\n5,1\n6,1\n", {.categories = {"x"}});
  EXPECT_EQ(words.schema().inputs[0].levels.size(), 6U);
  const Dataset missing = read("x,y\n1,1\n2,1\n3,1\n4x,1\n5,1\n-9,1\n", {.format = {.missing = {"4x", "-9"}}});
  EXPECT_TRUE(std::isnan(missing.inputs()(3, 0)));
  EXPECT_TRUE(std::isnan(missing.inputs()(5, 0)));
}

TEST_F(MixedTable, StrictTakesFiniteNumbersOnly) {
  EXPECT_THAT([&] { read("x,y\n1,1\n,1\n", {.strict = true}); },
              test::Fails(ErrorCode::data, "t.csv:3:1 (x): missing value, expected a number"));
  EXPECT_THAT([&] { read("x,y\nred,1\nred,1\n", {.strict = true}); },
              test::Fails(ErrorCode::data, "\"red\" is not a number"));
  EXPECT_THAT([&] { read("x,y\nred,1\nred,1\n", {.categories = {"x"}, .strict = true}); },
              test::Fails(ErrorCode::usage, "--categories is given with --strict"));
}

TEST_F(MixedTable, RefusesKindsThatContradict) {
  EXPECT_THAT([&] { read("x,y\n1,1\n", {.numbers = {"x"}, .dates = {"x"}}); },
              test::Fails(ErrorCode::usage, "column \"x\" is given two kinds"));
  EXPECT_THAT([&] { read("x,y\n1,1\n", {.categories = {"y"}}); }, test::Fails(ErrorCode::usage, "which is no input"));
  EXPECT_THAT([&] { read("w,y\n2024-02-30,1\n", {.dates = {"w"}}); },
              test::Fails(ErrorCode::data, "t.csv:2:1 (w): \"2024-02-30\" is no day or time"));
  EXPECT_THAT([&] { read("w,y\n2024-01-01T00:00Z,1\n2024-01-02T00:00,1\n"); },
              test::Fails(ErrorCode::data, "differs from the times above in having a zone"));
}

TEST_F(MixedTable, WeightsAndNoiseMayNotBeMissing) {
  EXPECT_THAT([&] { read("x,w,y\n1,1,1\n1,,1\n", {.weight = "w"}); },
              test::Fails(ErrorCode::data, "t.csv:3:2 (w): missing value, expected a number"));
  EXPECT_THAT([&] { read("x,n,y\n1,1,1\n1,NA,1\n", {.noise_std = {"n"}}); },
              test::Fails(ErrorCode::data, "t.csv:3:2 (n): missing value"));
}

TEST_F(MixedTable, ReadsTheSameForAnyNumberOfThreads) {
  std::string text = "x,word,y\n";
  for (int i = 0; i < 60000; ++i) text += fmt::format("{},w{},{}\n", i % 7 == 0 ? "" : "1.5", i * 7919 % 501, i);
  const Dataset one = read(text, {.format = {.threads = 1}});
  const Dataset four = read(text, {.format = {.threads = 4}});
  EXPECT_EQ(one.fingerprint(), four.fingerprint());
  EXPECT_EQ(one.schema().inputs[1].levels, four.schema().inputs[1].levels);
  EXPECT_EQ(one.schema().inputs[1].levels[1], "w404");  // 7919 modulo 501
}

TEST_F(MixedTable, RowsWithoutTargetCountNothing) {
  const auto source = open("x,y\n1,1\n2,\n3,5\n100,NA\n");
  const RowSummary summary = summarise(*source, true);
  EXPECT_EQ(summary.rows, 4U);
  EXPECT_EQ(summary.rows_without_target, 2U);
  EXPECT_EQ(summary.weight_total, 2);
  EXPECT_EQ(summary.inputs.scaler().shift[0], 2);
  EXPECT_EQ(summary.targets.scaler().shift[0], 3);
  EXPECT_THAT([&] { summarise(*open("x,y\n1,\n2,\n"), true); }, test::Fails(ErrorCode::data, "no row has a target"));
}

TEST_F(MixedTable, MomentsLeaveOutWhatIsMissing) {
  const auto source = open("x,z,y\n1,,1\n,,2\n3,,5\n");
  const RowSummary summary = summarise(*source, true);
  EXPECT_EQ(summary.inputs.missing(0), 1U);
  EXPECT_EQ(summary.inputs.missing(1), 3U);
  const Scaler scaler = summary.inputs.scaler();
  EXPECT_EQ(scaler.shift[0], 2);
  EXPECT_EQ(scaler.scale[0], 1);
  EXPECT_EQ(scaler.scale[1], 1);
  EXPECT_EQ(summary.inputs.constant_columns(), std::vector<std::size_t>{1});
}

TEST_F(MixedTable, LevelsAreLearnedFromFiveRowsOn) {
  std::string text = "word,y\n";
  for (const char* word : {"a", "b", "a", "a", "b", "a", "a", "b", "b", "c"}) text += fmt::format("{},1\n", word);
  const auto source = open(text);
  const RowSummary summary = summarise(*source, true);
  const std::vector<InputEncoding> encodings = encodings_of(source->schema(), summary);
  ASSERT_EQ(encodings.size(), 1U);
  EXPECT_EQ(encodings[0].learned, 1U);
  EXPECT_EQ(encodings[0].codes, (std::vector<std::uint32_t>{0, 1, 1}));
}

/// Every day of some years once.
std::string daily_table(int first_year, int years) {
  using namespace std::chrono;
  std::string text = "day,y\n";
  const sys_days end{year{first_year + years} / January / 1};
  for (sys_days day{year{first_year} / January / 1}; day < end; day += days{1}) {
    text += date_text(86400.0 * static_cast<double>(day.time_since_epoch().count())) + ",1\n";
  }
  return text;
}

InputEncoding first_encoding(RowSource& source) {
  return encodings_of(source.schema(), summarise(source, true)).at(0);
}

TEST_F(MixedTable, DaysOfTheCalendarAreLearnedFromFiveRowsOn) {
  const InputEncoding six_years = first_encoding(*open(daily_table(2014, 6)));
  EXPECT_EQ(six_years.codes.size(), days_of_calendar);
  EXPECT_EQ(six_years.learned, 365U);
  EXPECT_EQ(six_years.codes[365], six_years.rare_code());  // 29 February came once
  EXPECT_EQ(six_years.cycles, (std::vector{Cycle::week, Cycle::year}));
  EXPECT_TRUE(first_encoding(*open(daily_table(2014, 4))).codes.empty());
}

TEST_F(MixedTable, RowsOfTwoYearsHaveNoCalendar) {
  std::string text = daily_table(2014, 2);
  const std::string rows = text.substr(text.find('\n') + 1);
  for (int copies = 0; copies < 4; ++copies) text += rows;
  EXPECT_TRUE(first_encoding(*open(text)).codes.empty());
}

TEST_F(MixedTable, TheFingerprintKnowsTheWords) {
  const std::string start = "x,y\n";
  EXPECT_NE(read(start + "red,1\nblue,2\n").fingerprint(), read(start + "red,1\ngreen,2\n").fingerprint());
  EXPECT_EQ(read(start + "red,1\nblue,2\n").fingerprint(), read(start + " red ,1.0\n\"blue\",2\n").fingerprint());
}

}  // namespace
}  // namespace credens::data
