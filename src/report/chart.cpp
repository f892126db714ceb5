// SPDX-License-Identifier: Apache-2.0

#include "report/chart.hpp"

#include <cmath>
#include <span>

#include <nlohmann/json.hpp>

#include "base/check.hpp"

namespace credens::report {
namespace {

using nlohmann::json;

constexpr int height_in_pixels = 290;

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // clang 16 does not find this by itself

void check_column(std::span<const double> values, std::size_t rows, std::string_view label, std::string_view name) {
  base::require(values.size() == rows, ErrorCode::failure, "chart: {} of \"{}\" has {} values, expected {}", name,
                label, values.size(), rows);
  for (const double value : values) {
    base::require(std::isfinite(value), ErrorCode::numerical, "chart: {} of \"{}\" holds a value that is not finite",
                  name, label);
  }
}

void check_mark(const Band& band) {
  check_column(band.x, band.x.size(), band.label, "x");
  check_column(band.lower, band.x.size(), band.label, "lower");
  check_column(band.upper, band.x.size(), band.label, "upper");
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    base::require(band.lower[i] <= band.upper[i], ErrorCode::numerical, "chart: \"{}\" is upside down at x = {}",
                  band.label, band.x[i]);
  }
}

template <class LineOrPoints>
void check_mark(const LineOrPoints& mark) {
  check_column(mark.x, mark.x.size(), mark.label, "x");
  check_column(mark.y, mark.x.size(), mark.label, "y");
}

json rows_of(const Band& band) {
  json rows = json::array();
  for (std::size_t i = 0; i < band.x.size(); ++i) {
    rows.push_back({{"x", band.x[i]}, {"lower", band.lower[i]}, {"upper", band.upper[i]}});
  }
  return rows;
}

template <class LineOrPoints>
json rows_of(const LineOrPoints& mark) {
  json rows = json::array();
  for (std::size_t i = 0; i < mark.x.size(); ++i) rows.push_back({{"x", mark.x[i]}, {"y", mark.y[i]}});
  return rows;
}

json scale_of(const std::optional<Range>& range) {
  if (!range) return {{"zero", false}};
  return {{"domain", {range->first, range->second}}, {"nice", false}};
}

json axis_encoding(std::string_view field, const std::string& title, const std::optional<Range>& range) {
  return {{"field", field}, {"type", "quantitative"}, {"title", title}, {"scale", scale_of(range)}};
}

json encoding_of(const Band&, const Chart& chart) {
  return {{"x", axis_encoding("x", chart.x_title, chart.x_range)},
          {"y", axis_encoding("lower", chart.y_title, chart.y_range)},
          {"y2", {{"field", "upper"}}}};
}

template <class LineOrPoints>
json encoding_of(const LineOrPoints&, const Chart& chart) {
  return {{"x", axis_encoding("x", chart.x_title, chart.x_range)},
          {"y", axis_encoding("y", chart.y_title, chart.y_range)}};
}

std::string_view type_of(const Mark& mark) {
  return std::visit(Overloaded{[](const Band&) { return std::string_view("area"); },
                               [](const Line&) { return std::string_view("line"); },
                               [](const Points&) { return std::string_view("point"); }},
                    mark);
}

/// A screen reader hears the chart's description; hundreds of points one by one would drown it.
json layer_of(const Mark& mark, const Chart& chart) {
  return std::visit(
      [&](const auto& kind) -> json {
        check_mark(kind);
        return {{"name", kind.label},
                {"data", {{"values", rows_of(kind)}}},
                {"mark", {{"type", type_of(mark)}, {"style", style_of(mark)}, {"clip", true}, {"aria", false}}},
                {"encoding", encoding_of(kind, chart)}};
      },
      mark);
}

}  // namespace

json vega_lite_spec(const Chart& chart) {
  json layers = json::array();
  for (const Mark& mark : chart.marks) layers.push_back(layer_of(mark, chart));
  return {{"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
          {"description", chart.description},
          {"title", {{"text", chart.title}, {"subtitle", chart.subtitle}}},
          {"width", "container"},
          {"height", height_in_pixels},
          {"autosize", {{"type", "fit"}, {"contains", "padding"}}},
          {"layer", layers}};
}

std::string style_of(const Mark& mark) {
  const std::string voice =
      std::visit([](const auto& kind) { return kind.role == Role::estimate; }, mark) ? "estimate" : "truth";
  return voice + std::visit(Overloaded{[](const Band&) { return "_band"; }, [](const Line&) { return "_line"; },
                                       [](const Points&) { return "_points"; }},
                            mark);
}

const std::string& label_of(const Mark& mark) {
  return std::visit([](const auto& kind) -> const std::string& { return kind.label; }, mark);
}

}  // namespace credens::report
