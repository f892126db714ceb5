// SPDX-License-Identifier: Apache-2.0

#include "report/chart.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.hpp"

namespace credens::report {
namespace {

using nlohmann::json;

constexpr int height_in_pixels = 290;

/// A column of a mark: the field of the spec, the axis it is read on ('x' or 'y'), and its values.
struct Column {
  const char* field;
  char axis;
  std::span<const double> values;
};

// Every kind of mark in one place: its columns, its Vega-Lite type, the last word of its style and its channels.

std::vector<Column> columns_of(const Band& band) {
  return {{"x", 'x', band.x}, {"lower", 'y', band.lower}, {"upper", 'y', band.upper}};
}
std::vector<Column> columns_of(const Line& line) {
  return {{"x", 'x', line.x}, {"y", 'y', line.y}};
}
std::vector<Column> columns_of(const Points& points) {
  return {{"x", 'x', points.x}, {"y", 'y', points.y}};
}
std::vector<Column> columns_of(const Bars& bars) {
  return {{"left", 'x', bars.left}, {"right", 'x', bars.right}, {"height", 'y', bars.height}};
}
std::vector<Column> columns_of(const Intervals& intervals) {
  return {{"x", 'x', intervals.x}, {"lower", 'y', intervals.lower}, {"upper", 'y', intervals.upper}};
}

struct Kind {
  const char* type;
  const char* style;
  const char* x;
  const char* y;
  json more;  ///< channels beside x and y
};

Kind kind_of(const Band&) {
  return {"area", "band", "x", "lower", {{"y2", {{"field", "upper"}}}}};
}
Kind kind_of(const Line&) {
  return {"line", "line", "x", "y", json::object()};
}
Kind kind_of(const Points&) {
  return {"point", "points", "x", "y", json::object()};
}
Kind kind_of(const Bars&) {
  return {"rect", "bars", "left", "height", {{"x2", {{"field", "right"}}}, {"y2", {{"datum", 0}}}}};
}
Kind kind_of(const Intervals&) {
  return {"rule", "intervals", "x", "lower", {{"y2", {{"field", "upper"}}}}};
}

void check_column(const Column& column, std::size_t rows, const std::string& label, Scale scale) {
  base::require(column.values.size() == rows, ErrorCode::failure, "chart: {} of \"{}\" has {} values, expected {}",
                column.field, label, column.values.size(), rows);
  for (const double value : column.values) {
    base::require(std::isfinite(value), ErrorCode::numerical, "chart: {} of \"{}\" holds a value that is not finite",
                  column.field, label);
    base::require(scale == Scale::linear || value > 0, ErrorCode::numerical,
                  "chart: {} of \"{}\" holds {}, expected values above 0 on a logarithmic axis", column.field, label,
                  value);
  }
}

void check_order(const auto& mark) {
  if constexpr (requires { mark.lower; }) {
    for (std::size_t i = 0; i < mark.x.size(); ++i) {
      base::require(mark.lower[i] <= mark.upper[i], ErrorCode::numerical, "chart: \"{}\" is upside down at x = {}",
                    mark.label, mark.x[i]);
    }
  }
}

void check_scales(const Bars& bars, const Chart& chart) {
  base::require(chart.y_scale == Scale::linear, ErrorCode::failure,
                "chart: \"{}\" are bars, which have no foot on a logarithmic axis", bars.label);
}
void check_scales(const auto&, const Chart&) {}

void check_mark(const auto& mark, const Chart& chart) {
  check_scales(mark, chart);
  const std::vector<Column> columns = columns_of(mark);
  for (const Column& column : columns) {
    check_column(column, columns.front().values.size(), mark.label, column.axis == 'x' ? chart.x_scale : chart.y_scale);
  }
  check_order(mark);
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.8g}", value).c_str(), nullptr);
}

json rows_of(const std::vector<Column>& columns) {
  json rows = json::array();
  for (std::size_t i = 0; i < columns.front().values.size(); ++i) {
    json row = json::object();
    for (const Column& column : columns) row[column.field] = rounded(column.values[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

json scale_of(Scale scale, const std::optional<Range>& range) {
  json spec = json::object();
  if (scale == Scale::logarithmic) spec["type"] = "log";
  if (range) {
    spec["domain"] = {range->first, range->second};
    spec["nice"] = false;
  } else if (scale == Scale::linear) {
    spec["zero"] = false;
  }
  return spec;
}

/// Ticks at 1, 2, ... with these names.
json named_ticks(const std::vector<std::string>& names) {
  std::vector<std::size_t> places(names.size());
  std::iota(places.begin(), places.end(), 1);
  return {{"values", places}, {"labelExpr", json(names).dump() + "[datum.value - 1]"}};
}

json axis_encoding(const char* field, const std::string& title, const json& scale) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", scale}};
}

/// A screen reader hears the chart's description; hundreds of points one by one would drown it.
json layer_of(const Mark& mark, const Chart& chart) {
  return std::visit(
      [&](const auto& given) -> json {
        check_mark(given, chart);
        const Kind kind = kind_of(given);
        json encoding = {{"x", axis_encoding(kind.x, chart.x_title, scale_of(chart.x_scale, chart.x_range))},
                         {"y", axis_encoding(kind.y, chart.y_title, scale_of(chart.y_scale, chart.y_range))}};
        if (!chart.x_names.empty()) encoding["x"]["axis"] = named_ticks(chart.x_names);
        encoding.update(kind.more);
        return {{"name", given.label},
                {"data", {{"values", rows_of(columns_of(given))}}},
                {"mark", {{"type", kind.type}, {"style", style_of(mark)}, {"clip", true}, {"aria", false}}},
                {"encoding", std::move(encoding)}};
      },
      mark);
}

}  // namespace

Line diagonal(std::string label, const Range& range) {
  return {.label = std::move(label),
          .role = Role::reference,
          .x = {range.first, range.second},
          .y = {range.first, range.second}};
}

Line horizontal(std::string label, const Range& range, double y) {
  return {.label = std::move(label), .role = Role::reference, .x = {range.first, range.second}, .y = {y, y}};
}

json vega_lite_spec(const Chart& chart) {
  json layers = json::array();
  for (const Mark& mark : chart.marks) {
    json layer = layer_of(mark, chart);
    if (!layer["data"]["values"].empty()) layers.push_back(std::move(layer));  // Vega warns of a layer without rows
  }
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", chart.description},
          {"title", {{"text", chart.title}, {"subtitle", chart.subtitle}}},
          {"width", "container"},
          {"height", height_in_pixels},
          {"autosize", {{"type", "fit"}, {"contains", "padding"}}},
          {"layer", layers}};
}

std::string style_of(const Mark& mark) {
  constexpr std::array roles = {"estimate", "second", "third", "fourth", "truth", "reference"};
  const char* role = roles.at(static_cast<std::size_t>(role_of(mark)));
  return std::visit([&](const auto& given) { return fmt::format("{}_{}", role, kind_of(given).style); }, mark);
}

const std::string& label_of(const Mark& mark) {
  return std::visit([](const auto& given) -> const std::string& { return given.label; }, mark);
}

Role role_of(const Mark& mark) {
  return std::visit([](const auto& given) { return given.role; }, mark);
}

}  // namespace credens::report
