// SPDX-License-Identifier: Apache-2.0

#include "report/chart.hpp"

#include <credens/error.hpp>

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace credens::report {
namespace {

using nlohmann::json;

Chart small_chart() {
  return {
      .title = "Regression function",
      .subtitle = "coverage 98.5 %",
      .description = "A band around a curve.",
      .x_title = "x",
      .y_title = "y",
      .marks = {
          {.kind = MarkKind::band, .label = "95 % interval", .x = {0, 1, 2}, .y = {-1, 0, 1}, .y_end = {1, 0, 3}},
          {.kind = MarkKind::line, .label = "truth", .role = Role::truth, .x = {0, 2}, .y = {0.5, 2.5}},
          {.kind = MarkKind::points, .label = "data", .role = Role::truth, .x = {1}, .y = {0.25}},
          {.kind = MarkKind::bars, .label = "counts", .role = Role::second, .x = {0, 1}, .y = {3, 4}, .x_end = {1, 2}},
          {.kind = MarkKind::intervals, .label = "rows", .role = Role::third, .x = {1}, .y = {-1}, .y_end = {2}}}};
}

/// The fields that a layer's encoding asks for.
std::vector<std::string> encoded_fields(const json& layer) {
  std::vector<std::string> fields;
  for (const auto& [channel, encoding] : layer.at("encoding").items()) {
    if (encoding.contains("field")) fields.push_back(encoding.at("field"));
  }
  return fields;
}

TEST(Chart, EveryEncodedFieldIsInEveryRow) {
  const json spec = vega_lite_spec(small_chart());
  ASSERT_EQ(spec.at("layer").size(), 5);
  for (const json& layer : spec.at("layer")) {
    for (const json& row : layer.at("data").at("values")) {
      for (const std::string& field : encoded_fields(layer))
        EXPECT_TRUE(row.at(field).is_number()) << layer.at("name") << field;
    }
  }
}

TEST(Chart, HoldsTheValuesItWasGiven) {
  const json layers = vega_lite_spec(small_chart()).at("layer");
  EXPECT_EQ(layers[0].at("data").at("values")[2], json({{"x", 2.0}, {"lower", 1.0}, {"upper", 3.0}}));
  EXPECT_EQ(layers[1].at("data").at("values").size(), 2);
  EXPECT_EQ(layers[2].at("data").at("values")[0], json({{"x", 1.0}, {"y", 0.25}}));
  EXPECT_EQ(layers[3].at("data").at("values")[1], json({{"left", 1.0}, {"right", 2.0}, {"height", 4.0}}));
  EXPECT_EQ(layers[4].at("data").at("values")[0], json({{"x", 1.0}, {"lower", -1.0}, {"upper", 2.0}}));
}

TEST(Chart, NamesPlacesOnItsXAxis) {
  Chart chart{.title = "t",
              .x_names = {"one", "\"two\""},
              .marks = {{.kind = MarkKind::line, .label = "l", .x = {1, 2}, .y = {0, 1}}}};
  const json axis = vega_lite_spec(chart).at("layer")[0].at("encoding").at("x").at("axis");
  EXPECT_EQ(axis.at("values"), json({1, 2}));
  EXPECT_EQ(axis.at("tickCount"), 2);
  EXPECT_EQ(axis.at("labelExpr"), R"(["one","\"two\""][datum.value - 1])");
  chart.x_names.clear();
  EXPECT_FALSE(vega_lite_spec(chart).at("layer")[0].at("encoding").at("x").contains("axis"));
}

TEST(Chart, CarriesNoMoreDigitsThanCanBeSeen) {
  const Chart chart{.title = "t",
                    .marks = {{.kind = MarkKind::points, .label = "p", .x = {1.0 / 3}, .y = {2e300 / 3}}}};
  EXPECT_EQ(vega_lite_spec(chart).at("layer")[0].at("data").at("values").dump(),
            R"([{"x":0.33333333,"y":6.6666667e+299}])");
}

TEST(Chart, BandsSpanFromLowerToUpper) {
  const json band = vega_lite_spec(small_chart()).at("layer")[0];
  EXPECT_EQ(band.at("mark").at("type"), "area");
  EXPECT_EQ(band.at("encoding").at("y").at("field"), "lower");
  EXPECT_EQ(band.at("encoding").at("y2").at("field"), "upper");
  for (const json& row : band.at("data").at("values")) EXPECT_LE(row.at("lower"), row.at("upper"));
}

TEST(Chart, BarsStandOnZeroBetweenTheirEdges) {
  const json bars = vega_lite_spec(small_chart()).at("layer")[3];
  EXPECT_EQ(bars.at("mark").at("type"), "rect");
  EXPECT_EQ(bars.at("encoding").at("x").at("field"), "left");
  EXPECT_EQ(bars.at("encoding").at("x2").at("field"), "right");
  EXPECT_EQ(bars.at("encoding").at("y").at("field"), "height");
  EXPECT_EQ(bars.at("encoding").at("y2").at("datum"), 0);
}

TEST(Chart, IntervalsAreUprightStrokes) {
  const json intervals = vega_lite_spec(small_chart()).at("layer")[4];
  EXPECT_EQ(intervals.at("mark").at("type"), "rule");
  EXPECT_EQ(intervals.at("encoding").at("y").at("field"), "lower");
  EXPECT_EQ(intervals.at("encoding").at("y2").at("field"), "upper");
  EXPECT_FALSE(intervals.at("encoding").contains("x2"));
}

Chart small_map() {
  return {.title = "Map",
          .colours = {.title = "entropy", .range = {0, 0.5}},
          .marks = {{.kind = MarkKind::cells,
                     .label = "entropy",
                     .x = {0, 1},
                     .y = {2, 2},
                     .y_end = {3, 3},
                     .x_end = {1, 2},
                     .value = {0.125, 0.5}}}};
}

TEST(Chart, CellsAreColouredRectangles) {
  const json spec = vega_lite_spec(small_map());
  const json& layer = spec.at("layer")[0];
  EXPECT_EQ(layer.at("mark").at("type"), "rect");
  EXPECT_EQ(layer.at("mark").at("style"), "estimate_cells");
  EXPECT_EQ(layer.at("data").at("values")[1],
            json({{"left", 1.0}, {"right", 2.0}, {"low", 2.0}, {"high", 3.0}, {"value", 0.5}}));
  const json& encoding = layer.at("encoding");
  EXPECT_EQ(encoding.at("x2").at("field"), "right");
  EXPECT_EQ(encoding.at("y2").at("field"), "high");
  EXPECT_EQ(encoding.at("fill").at("field"), "value");
  EXPECT_EQ(encoding.at("fill").at("title"), "entropy");
  EXPECT_EQ(encoding.at("fill").at("scale").at("domain"), json({0.0, 0.5}));
  EXPECT_EQ(encoding.at("fill").at("scale").at("range"), "heatmap");
}

TEST(Chart, ColoursPartAtTheMiddle) {
  Chart chart = small_map();
  chart.colours = {.title = "probability", .range = {0, 1}, .has_middle = true};
  const json scale = vega_lite_spec(chart).at("layer")[0].at("encoding").at("fill").at("scale");
  EXPECT_EQ(scale.at("domain"), json({0.0, 0.5, 1.0}));
  EXPECT_EQ(scale.at("range"), "diverging");
}

TEST(Chart, NamesLinesOfAMatrixFromAbove) {
  Chart chart = small_map();
  chart.x_names = {"a", "b"};
  chart.y_names = {"c", "d"};
  chart.height = 400;
  const json spec = vega_lite_spec(chart);
  EXPECT_EQ(spec.at("height"), 400);
  const json& encoding = spec.at("layer")[0].at("encoding");
  EXPECT_EQ(encoding.at("y").at("axis").at("labelExpr"), R"(["c","d"][datum.value - 1])");
  EXPECT_EQ(encoding.at("y").at("scale").at("reverse"), true);
  EXPECT_EQ(encoding.at("x").at("axis").at("labelAngle"), -45);
  EXPECT_FALSE(encoding.at("x").at("scale").contains("reverse"));
  EXPECT_EQ(vega_lite_spec(small_map()).at("height"), usual_chart_height);
}

TEST(Chart, ReferencesAreLinesOfTheirOwnLooks) {
  const Mark equal = diagonal("equal", {1, 5});
  EXPECT_EQ(equal.x, (std::vector<double>{1, 5}));
  EXPECT_EQ(equal.y, equal.x);
  EXPECT_EQ(style_of(equal), "reference_line");
  const Mark level = horizontal("0.95", {0, 2}, 0.95);
  EXPECT_EQ(level.x, (std::vector<double>{0, 2}));
  EXPECT_EQ(level.y, (std::vector<double>{0.95, 0.95}));
  EXPECT_EQ(style_of(level), "reference_line");
}

TEST(Chart, AxesAreLogarithmicWhereAsked) {
  const Chart chart{.title = "t",
                    .x_logarithmic = true,
                    .y_range = Range{0, 1},
                    .marks = {{.kind = MarkKind::line, .label = "l", .x = {1, 10, 100}, .y = {0, 0.5, 1}}}};
  const json encoding = vega_lite_spec(chart).at("layer")[0].at("encoding");
  EXPECT_EQ(encoding.at("x").at("scale"), json({{"type", "log"}}));
  EXPECT_FALSE(encoding.at("y").at("scale").contains("type"));
}

TEST(Chart, LooksAreNamedAfterRoleAndKind) {
  const json layers = vega_lite_spec(small_chart()).at("layer");
  EXPECT_EQ(layers[0].at("mark").at("style"), "estimate_band");
  EXPECT_EQ(layers[1].at("mark").at("style"), "truth_line");
  EXPECT_EQ(layers[2].at("mark").at("style"), "truth_points");
  EXPECT_EQ(layers[3].at("mark").at("style"), "second_bars");
  EXPECT_EQ(layers[4].at("mark").at("style"), "third_intervals");
  EXPECT_EQ(style_of(Mark{.kind = MarkKind::line, .label = "l", .role = Role::fourth}), "fourth_line");
}

TEST(Chart, SpeaksToThoseWhoCannotSeeIt) {
  const json spec = vega_lite_spec(small_chart());
  EXPECT_EQ(spec.at("description"), "A band around a curve.");
  EXPECT_EQ(spec.at("title").at("text"), "Regression function");
  EXPECT_EQ(spec.at("title").at("subtitle"), "coverage 98.5 %");
}

TEST(Chart, KeepsToTheRangeItIsGiven) {
  Chart chart = small_chart();
  chart.x_range = {-1, 3};
  chart.y_range = {-5, 5};
  const json spec = vega_lite_spec(chart);
  for (const json& layer : spec.at("layer")) {
    EXPECT_EQ(layer.at("encoding").at("y").at("scale").at("domain"), json({-5.0, 5.0}));
    EXPECT_EQ(layer.at("encoding").at("x").at("scale").at("domain"), json({-1.0, 3.0}));
    EXPECT_EQ(layer.at("mark").at("clip"), true);
  }
}

TEST(Chart, LeavesMarksWithoutRowsOut) {
  const Chart chart{.title = "t",
                    .marks = {{.kind = MarkKind::points, .label = "none"},
                              {.kind = MarkKind::points, .label = "one", .x = {1}, .y = {2}}}};
  const json layers = vega_lite_spec(chart).at("layer");
  ASSERT_EQ(layers.size(), 1);
  EXPECT_EQ(layers[0].at("name"), "one");
}

/// The sentence with which the chart is refused.
std::string refusal(Mark mark, bool x_logarithmic = false, bool y_logarithmic = false) {
  try {
    vega_lite_spec(
        {.title = "t", .x_logarithmic = x_logarithmic, .y_logarithmic = y_logarithmic, .marks = {std::move(mark)}});
  } catch (const Error& error) {
    return error.what();
  }
  return "no refusal";
}

TEST(Chart, RefusesColumnsOfDifferentLength) {
  EXPECT_EQ(refusal({.kind = MarkKind::line, .label = "mean", .x = {0, 1}, .y = {0}}),
            "chart: y of \"mean\" has 1 values, expected 2");
  EXPECT_EQ(refusal({.kind = MarkKind::band, .label = "b", .x = {0}, .y = {0}, .y_end = {}}),
            "chart: upper of \"b\" has 0 values, expected 1");
}

TEST(Chart, RefusesWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal({.kind = MarkKind::points, .label = "data", .x = {0}, .y = {nan}}),
            "chart: y of \"data\" holds a value that is not finite");
  EXPECT_EQ(refusal({.kind = MarkKind::band, .label = "b", .x = {0}, .y = {0}, .y_end = {infinity}}),
            "chart: upper of \"b\" holds a value that is not finite");
}

TEST(Chart, RefusesABandThatIsUpsideDown) {
  EXPECT_EQ(refusal({.kind = MarkKind::band, .label = "b", .x = {0, 0.5}, .y = {0, 2}, .y_end = {1, 1}}),
            "chart: \"b\" is upside down at x = 0.5");
  EXPECT_EQ(refusal({.kind = MarkKind::intervals, .label = "i", .x = {2}, .y = {1}, .y_end = {0}}),
            "chart: \"i\" is upside down at x = 2");
}

TEST(Chart, RefusesCellsThatAreNotWhole) {
  Mark cells = small_map().marks.front();
  cells.value = {1};
  EXPECT_EQ(refusal(cells), "chart: value of \"entropy\" has 1 values, expected 2");
  cells.value = {1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(refusal(cells), "chart: value of \"entropy\" holds a value that is not finite");
}

TEST(Chart, RefusesWhatALogarithmicAxisCannotShow) {
  const Mark line{.kind = MarkKind::line, .label = "l", .x = {0, 1}, .y = {1, -2}};
  EXPECT_EQ(refusal(line, true), "chart: x of \"l\" holds 0, expected values above 0 on a logarithmic axis");
  EXPECT_EQ(refusal(line, false, true), "chart: y of \"l\" holds -2, expected values above 0 on a logarithmic axis");
  EXPECT_EQ(refusal({.kind = MarkKind::bars, .label = "b", .x = {1}, .y = {1}, .x_end = {2}}, false, true),
            "chart: \"b\" are bars, which have no foot on a logarithmic axis");
}

TEST(Chart, TurnsNamesThatWouldRunIntoEachOther) {
  const auto angle = [](const std::vector<std::string>& names) {
    const Chart chart{.x_names = names, .marks = {{MarkKind::points, "p", Role::estimate, {1, 2}, {0, 1}}}};
    return vega_lite_spec(chart).at("layer").at(0).at("encoding").at("x").at("axis").value("labelAngle", 0);
  };
  EXPECT_EQ(angle({"red", "blue", "green"}), 0);
  EXPECT_EQ(angle({"red", "blue", "a colour of many letters"}), -45);
}

}  // namespace
}  // namespace credens::report
