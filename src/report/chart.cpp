// SPDX-License-Identifier: Apache-2.0

#include "report/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.hpp"

namespace credens::report {
namespace {

using nlohmann::json;

/// A column of a mark: the field of the spec, the channel that shows it, and where the mark holds it.
struct Column {
  const char* field;
  const char* channel;
  std::vector<double> Mark::*values;
};

/// The Vega-Lite type of a mark, the last word of its style, its columns, and channels beside them.
struct Kind {
  const char* type;
  const char* style;
  std::vector<Column> columns;
  json more = json::object();
};

/// By MarkKind.
const Kind& kind_of(const Mark& mark) {
  static const std::array kinds = {
      Kind{"area", "band", {{"x", "x", &Mark::x}, {"lower", "y", &Mark::y}, {"upper", "y2", &Mark::y_end}}},
      Kind{"line", "line", {{"x", "x", &Mark::x}, {"y", "y", &Mark::y}}},
      Kind{"point", "points", {{"x", "x", &Mark::x}, {"y", "y", &Mark::y}}},
      Kind{"rule", "intervals", {{"x", "x", &Mark::x}, {"lower", "y", &Mark::y}, {"upper", "y2", &Mark::y_end}}},
      Kind{"rect",
           "bars",
           {{"left", "x", &Mark::x}, {"right", "x2", &Mark::x_end}, {"height", "y", &Mark::y}},
           {{"y2", {{"datum", 0}}}}},
      Kind{"rect",
           "cells",
           {{"left", "x", &Mark::x},
            {"right", "x2", &Mark::x_end},
            {"low", "y", &Mark::y},
            {"high", "y2", &Mark::y_end},
            {"value", "fill", &Mark::value}}}};
  return kinds.at(static_cast<std::size_t>(mark.kind));
}

void check_column(const Column& column, const Mark& mark, bool logarithmic) {
  const std::vector<double>& values = mark.*column.values;
  base::require(values.size() == mark.x.size(), ErrorCode::failure, "chart: {} of \"{}\" has {} values, expected {}",
                column.field, mark.label, values.size(), mark.x.size());
  for (const double value : values) {
    base::require(std::isfinite(value), ErrorCode::numerical, "chart: {} of \"{}\" holds a value that is not finite",
                  column.field, mark.label);
    base::require(!logarithmic || value > 0, ErrorCode::numerical,
                  "chart: {} of \"{}\" holds {}, expected values above 0 on a logarithmic axis", column.field,
                  mark.label, value);
  }
}

bool is_logarithmic(const Column& column, const Chart& chart) {
  return (column.channel[0] == 'x' && chart.x_logarithmic) || (column.channel[0] == 'y' && chart.y_logarithmic);
}

void check_mark(const Mark& mark, const Chart& chart) {
  base::require(mark.kind != MarkKind::bars || !chart.y_logarithmic, ErrorCode::failure,
                "chart: \"{}\" are bars, which have no foot on a logarithmic axis", mark.label);
  for (const Column& column : kind_of(mark).columns) {
    check_column(column, mark, is_logarithmic(column, chart));
  }
  for (std::size_t i = 0; i < mark.y_end.size(); ++i) {
    base::require(mark.y[i] <= mark.y_end[i], ErrorCode::numerical, "chart: \"{}\" is upside down at x = {}",
                  mark.label, mark.x[i]);
  }
}

double rounded(double value) {
  return std::strtod(fmt::format("{:.8g}", value).c_str(), nullptr);
}

json rows_of(const Mark& mark) {
  json rows = json::array();
  for (std::size_t i = 0; i < mark.x.size(); ++i) {
    json row = json::object();
    for (const Column& column : kind_of(mark).columns) row[column.field] = rounded((mark.*column.values)[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

json scale_of(bool logarithmic, const std::optional<Range>& range) {
  json spec = json::object();
  if (logarithmic) spec["type"] = "log";
  if (range) {
    spec["domain"] = {range->first, range->second};
    spec["nice"] = false;
  } else if (!logarithmic) {
    spec["zero"] = false;
  }
  return spec;
}

/// Ticks at 1, 2, ... with these names; without their number Vega would thin them.
json named_ticks(const std::vector<std::string>& names) {
  std::vector<std::size_t> places(names.size());
  std::iota(places.begin(), places.end(), 1);
  return {{"values", places}, {"tickCount", places.size()}, {"labelExpr", json(names).dump() + "[datum.value - 1]"}};
}

json axis_encoding(const std::string& title, const json& scale) {
  return {{"type", "quantitative"}, {"title", title}, {"scale", scale}};
}

/// Names beside a vertical axis: each is shown, as far as there is room.
json names_beside(const std::vector<std::string>& names) {
  json axis = named_ticks(names);
  axis.update({{"labelOverlap", false}, {"labelLimit", 100}});
  return axis;
}

/// Names below an axis; long ones are turned, so that they do not run into each other on a phone.
json names_below(const std::vector<std::string>& names, bool are_turned) {
  if (!are_turned) return named_ticks(names);
  json axis = names_beside(names);
  axis.update({{"labelAngle", -45}, {"labelAlign", "right"}, {"labelBaseline", "middle"}});
  return axis;
}

bool are_long(const std::vector<std::string>& names) {
  constexpr std::size_t most_letters = 32;
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  return names.size() * longest > most_letters;
}

/// The colours of the ends, and of the middle if there is one, are those of the page.
json colour_encoding(const ColourScale& colours) {
  const auto [low, high] = colours.range;
  json domain = {low, high};
  if (colours.has_middle) domain = {low, (low + high) / 2, high};
  return {{"type", "quantitative"},
          {"title", colours.title},
          {"scale",
           {{"domain", domain},
            {"range", colours.has_middle ? "diverging" : "heatmap"},
            {"interpolate", "rgb"},
            {"nice", false}}}};
}

json encoding_of(const Mark& mark, const Chart& chart) {
  json encoding = kind_of(mark).more;
  for (const Column& column : kind_of(mark).columns) encoding[column.channel]["field"] = column.field;
  encoding["x"].update(axis_encoding(chart.x_title, scale_of(chart.x_logarithmic, chart.x_range)));
  encoding["y"].update(axis_encoding(chart.y_title, scale_of(chart.y_logarithmic, chart.y_range)));
  if (!chart.x_names.empty()) {
    const bool are_turned = !chart.y_names.empty() || are_long(chart.x_names);
    encoding["x"]["axis"] = names_below(chart.x_names, are_turned);
  }
  if (!chart.y_names.empty()) {
    encoding["y"]["scale"]["reverse"] = true;
    encoding["y"]["axis"] = names_beside(chart.y_names);
  }
  if (mark.kind == MarkKind::cells) encoding["fill"].update(colour_encoding(chart.colours));
  return encoding;
}

/// A screen reader hears the chart's description; hundreds of points one by one would drown it.
json mark_of(const Mark& mark) {
  json spec = {{"type", kind_of(mark).type}, {"style", style_of(mark)}, {"clip", true}, {"aria", false}};
  // Cells reach a little below the next ones, or seams would show.
  if (mark.kind == MarkKind::cells) spec.update({{"x2Offset", 0.7}, {"y2Offset", -0.7}});
  return spec;
}

json layer_of(const Mark& mark, const Chart& chart) {
  check_mark(mark, chart);
  return {{"name", mark.label},
          {"data", {{"values", rows_of(mark)}}},
          {"mark", mark_of(mark)},
          {"encoding", encoding_of(mark, chart)}};
}

}  // namespace

Range extent(std::initializer_list<const std::vector<double>*> columns) {
  Range range{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
  for (const std::vector<double>* column : columns) {
    for (const double value : *column) range = {std::min(range.first, value), std::max(range.second, value)};
  }
  return range;
}

Mark diagonal(std::string label, const Range& range) {
  return {MarkKind::line, std::move(label), Role::reference, {range.first, range.second}, {range.first, range.second}};
}

Mark horizontal(std::string label, const Range& range, double y) {
  return {MarkKind::line, std::move(label), Role::reference, {range.first, range.second}, {y, y}};
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
          {"height", chart.height},
          {"autosize", {{"type", "fit"}, {"contains", "padding"}}},
          {"layer", layers}};
}

std::string style_of(const Mark& mark) {
  constexpr std::array roles = {"estimate", "second", "third", "fourth", "truth", "reference"};
  return fmt::format("{}_{}", roles.at(static_cast<std::size_t>(mark.role)), kind_of(mark).style);
}

}  // namespace credens::report
