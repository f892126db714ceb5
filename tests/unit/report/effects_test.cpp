// SPDX-License-Identifier: Apache-2.0

#include "report/effects.hpp"

#include <credens/fit.hpp>
#include <credens/problems.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "math/normal.hpp"
#include "support/temporary_folder.hpp"

namespace credens::report {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pointwise;
using testing::SizeIs;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr scoring::IntervalOptions eighty = {.level = 0.8};

FitOptions few_steps() {
  return {.recipe = Recipe::paper,
          .members = 3,
          .hidden = std::vector<std::vector<std::size_t>>{{8}},
          .epochs = 40,
          .learning_rate = std::vector<double>{0.02},
          .prior_precision = 0.1,
          .threads = 1};
}

/// `weak` moves y little, `strong` much, words much, and `same` is no input that rows differ in; 8 weeks of days.
Dataset mixed_rows() {
  std::string text = "weak,strong [mm],colour,day,y\n";
  const char* colours[] = {"red", "blue", "red", "green"};
  for (int i = 0; i < 120; ++i) {
    const double weak = (i * 37 % 101) / 101.0;
    const double strong = (i * 53 % 97) / 97.0;
    const double y = 0.2 * weak + 5 * strong + (i % 4 == 1 ? 3 : 0) + 0.2 * std::sin(i);
    text +=
        fmt::format("{},{},{},2024-{:02}-{:02},{}\n", weak, strong, colours[i % 4], 1 + i % 120 / 28, 1 + i % 28, y);
  }
  const test::TemporaryFolder folder;
  std::ofstream(folder / "t.csv") << text;
  return Dataset::from_csv(folder / "t.csv", {.targets = {"y"}, .categories = {"colour"}, .dates = {"day"}});
}

const Dataset& rows() {
  static const Dataset rows = mixed_rows();
  return rows;
}

const Ensemble& model() {
  static const Ensemble model = fit(rows(), few_steps());
  return model;
}

InputSample sample_of(const Dataset& dataset) {
  InputSample sample;
  sample.add(dataset.inputs(), dataset.noise_std());
  return sample;
}

const Chart& chart_of(const Section& section, const std::string& title) {
  const std::vector<Chart>& charts = section.figures.front().charts;
  return *std::ranges::find(charts, title, &Chart::title);
}

const Mark& mark_of(const Chart& chart, const std::string& part) {
  return *std::ranges::find_if(chart.marks,
                               [&](const Mark& mark) { return mark.label.find(part) != std::string::npos; });
}

std::vector<std::string> titles_of(const Section& section) {
  std::vector<std::string> titles;
  for (const Chart& chart : section.figures.front().charts) titles.push_back(chart.title);
  return titles;
}

TEST(InputSample, SortsWhatIsThere) {
  InputSample sample;
  EXPECT_TRUE(sample.is_empty());
  sample.add(Matrix(3, 2, {3, 1, missing, 2, -1, 7}), Matrix(3, 1, {0.5, 0.1, 0.3}));
  EXPECT_EQ(sample.inputs(), 2U);
  EXPECT_EQ(sample.columns(), 3U);
  EXPECT_THAT(sample.column(0), ElementsAre(-1, 3));
  EXPECT_THAT(sample.column(2), ElementsAre(0.1, 0.3, 0.5));
}

TEST(InputSample, IsOfBoundedSize) {
  InputSample sample;
  for (int block = 0; block < 10; ++block) sample.add(Matrix(1000, 1, 1.0), {});
  EXPECT_LE(sample.column(0).size(), 2000U);
  EXPECT_GE(sample.column(0).size(), 1000U);
}

TEST(TypicalRow, HasMediansAndTheMostFrequentWord) {
  const InputSample sample = sample_of(rows());
  const TypicalRow typical(model(), sample);
  const std::vector<double> weak = sample.column(0);
  EXPECT_DOUBLE_EQ(typical.input(0), (weak[59] + weak[60]) / 2);
  EXPECT_EQ(rows().inputs()(0, 2), typical.input(2)) << "red, the colour of the first row";
}

TEST(TypicalRow, WalksFromThe1stToThe99thPercentile) {
  InputSample sample;
  Matrix inputs(101, 4, 0.0);
  for (std::size_t i = 0; i < inputs.rows(); ++i) inputs(i, 0) = static_cast<double>(100 - i);
  sample.add(inputs, {});
  const TypicalRow typical(model(), sample);
  EXPECT_THAT(typical.walk(0, 3).values, Pointwise(DoubleNear(1e-12), std::vector<double>{1, 50, 99}));
  EXPECT_THAT(typical.walk(1, 3).values, IsEmpty()) << "rows do not differ";
}

TEST(TypicalRow, WalksOverDatesInWholeWeeksFromTheTypicalOne) {
  const InputSample sample = sample_of(rows());
  const TypicalRow typical(model(), sample);
  const Walk walk = typical.walk(3, 41);
  ASSERT_GE(walk.values.size(), 8U);
  for (const double date : walk.values) {
    EXPECT_EQ(std::fmod(date - typical.input(3), 7 * 86400.0), 0);
    EXPECT_GE(date, sample.column(3).front());
    EXPECT_LE(date, sample.column(3).back());
  }
}

TEST(EffectSections, NameTheInputsThatMoveMostFirst) {
  const std::vector<Section> sections = effect_sections(model(), sample_of(rows()), eighty, 1);
  ASSERT_THAT(sections, SizeIs(1));
  EXPECT_EQ(sections[0].title, "What moves y");
  const std::vector<std::string> titles = titles_of(sections[0]);
  ASSERT_THAT(titles, SizeIs(4));
  EXPECT_EQ(titles.front(), "strong [mm]");
  EXPECT_EQ(titles[1], "colour");
  EXPECT_EQ(chart_of(sections[0], "colour").subtitle, "most frequent: red");
  EXPECT_THAT(chart_of(sections[0], "colour").x_names, testing::UnorderedElementsAre("red", "blue", "green"));
  for (const Chart& chart : sections[0].figures.front().charts) EXPECT_NO_THROW(vega_lite_spec(chart)) << chart.title;
}

/// The typical row is put together by hand here.
TEST(EffectSections, DrawWhatPredictGivesAlongTheWalk) {
  const InputSample sample = sample_of(rows());
  const std::vector<Section> sections = effect_sections(model(), sample, eighty, 1);
  const Mark& line = mark_of(chart_of(sections[0], "strong [mm]"), "prediction");
  ASSERT_GT(line.x.size(), 20U);
  const auto median = [&](std::size_t col) {
    const std::vector<double> values = sample.column(col);
    return (values[59] + values[60]) / 2;
  };
  Matrix inputs(line.x.size(), 4);
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const double row[] = {median(0), line.x[i], rows().inputs()(0, 2), median(3)};
    std::ranges::copy(row, inputs.row(i).begin());
  }
  const Predictive predictive = model().predict(inputs);
  const Interval observation = predictive.interval(0.8);
  const Interval function = predictive.function_interval(0.8);
  const Mark& wide = mark_of(chart_of(sections[0], "strong [mm]"), "80 % interval, observation");
  const Mark& narrow = mark_of(chart_of(sections[0], "strong [mm]"), "80 % interval, function");
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    EXPECT_DOUBLE_EQ(line.y[i], predictive.mean()(i, 0));
    EXPECT_DOUBLE_EQ(wide.y[i], observation.lower(i, 0));
    EXPECT_DOUBLE_EQ(wide.y_end[i], observation.upper(i, 0));
    EXPECT_DOUBLE_EQ(narrow.y[i], function.lower(i, 0));
    EXPECT_DOUBLE_EQ(narrow.y_end[i], function.upper(i, 0));
  }
}

TEST(EffectSections, ShowWordsInTheOrderOfTheirPredictions) {
  const std::vector<Section> sections = effect_sections(model(), sample_of(rows()), eighty, 1);
  const Mark& points = mark_of(chart_of(sections[0], "colour"), "prediction");
  EXPECT_EQ(points.kind, MarkKind::points);
  EXPECT_THAT(points.x, ElementsAre(1, 2, 3));
  EXPECT_TRUE(std::ranges::is_sorted(points.y));
  EXPECT_EQ(chart_of(sections[0], "colour").x_names.back(), "blue");
}

TEST(EffectSections, AreNoneWithoutRowsOrDifferences) {
  EXPECT_THAT(effect_sections(model(), {}, eighty, 1), IsEmpty());
  InputSample equal;
  equal.add(Matrix(5, 4, 0.0), {});
  EXPECT_THAT(effect_sections(model(), equal, eighty, 1), IsEmpty());
}

TEST(EffectSections, TakeTheMedianOfKnownNoise) {
  const Matrix inputs(4, 1, {0, 1, 2, 3});
  const Dataset dataset({.inputs = inputs, .targets = inputs, .noise_std = Matrix(4, 1, {0.1, 0.2, 0.4, 0.8})});
  FitOptions options = few_steps();
  options.noise = NoiseKind::known;
  const Ensemble known = fit(dataset, options);
  const std::vector<Section> sections = effect_sections(known, sample_of(dataset), eighty, 1);
  ASSERT_THAT(sections, SizeIs(1));
  const Chart& chart = sections[0].figures.front().charts.front();
  const Mark& wide = mark_of(chart, "observation");
  const Mark& narrow = mark_of(chart, "function");
  const double z = math::normal_quantile(0.9);
  for (std::size_t i = 0; i < wide.x.size(); ++i) {
    const double total = (wide.y_end[i] - wide.y[i]) / (2 * z);
    const double own = (narrow.y_end[i] - narrow.y[i]) / (2 * z);
    EXPECT_NEAR(std::sqrt(total * total - own * own), 0.3, 1e-9);
  }
}

TEST(ClassEffectSections, ShowProbabilitiesWithTheirEpistemicBand) {
  const Dataset moons = two_moons(60, 3);
  const Ensemble classes = fit(moons, few_steps());
  const std::vector<Section> sections = class_effect_sections(classes, sample_of(moons));
  ASSERT_THAT(sections, SizeIs(1));
  EXPECT_EQ(sections[0].title, "What moves the probabilities");
  const Chart& chart = sections[0].figures.front().charts.front();
  const Mark& line = mark_of(chart, "prediction");
  const Mark& band = mark_of(chart, "function");
  const InputSample sample = sample_of(moons);
  const TypicalRow typical(classes, sample);
  const std::size_t input = chart.title == "x1" ? 0 : 1;
  Matrix inputs(line.x.size(), 2);
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    inputs(i, input) = line.x[i];
    inputs(i, 1 - input) = typical.input(1 - input);
  }
  const ClassPredictive predictive = classes.predict_classes(inputs);
  const std::size_t label = std::abs(line.y[0] - 100 * predictive.probability(0, 0)) < 1e-6 ? 0 : 1;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    const double p = predictive.probability(i, label);
    const double reach = 1.959963984540054 * std::sqrt(predictive.epistemic_variance(i, label));
    EXPECT_NEAR(line.y[i], 100 * p, 1e-9);
    EXPECT_NEAR(band.y[i], 100 * std::max(0.0, p - reach), 1e-6);
    EXPECT_NEAR(band.y_end[i], 100 * std::min(1.0, p + reach), 1e-6);
  }
  EXPECT_THAT(chart.y_title, HasSubstr("probability of "));
}

}  // namespace
}  // namespace credens::report
