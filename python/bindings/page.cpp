// SPDX-License-Identifier: Apache-2.0
//
// Pages as Python describes them: dictionaries with the names of src/report/page.hpp and chart.hpp, where what is not
// given has its default. A mark names its kind under `mark`.

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "module.hpp"
#include "report/figure1.hpp"
#include "report/number.hpp"
#include "report/page.hpp"

namespace credens::python {

namespace {

using Numbers = std::vector<double>;

/// The value under a name, or the default.
template <class Value>
Value get(const nb::dict& given, const char* name, Value otherwise = {}) {
  return given.contains(name) ? nb::cast<Value>(given[name]) : otherwise;
}

/// What `make` gives for each dictionary of a list.
template <class Value, class Make>
std::vector<Value> list_of(const nb::dict& given, const char* name, const Make& make) {
  std::vector<Value> values;
  if (!given.contains(name)) return values;
  for (const nb::handle one : nb::cast<nb::list>(given[name])) values.push_back(make(one));
  return values;
}

report::Role role_of(const std::string& name) {
  constexpr std::string_view names[] = {"estimate", "second", "third", "fourth", "truth", "reference"};
  const auto found = std::ranges::find(names, name);
  base::require(found != std::end(names), ErrorCode::failure, "there is no role {}", base::quoted(name));
  return static_cast<report::Role>(found - std::begin(names));
}

report::Mark mark_of(nb::handle one) {
  const auto given = nb::cast<nb::dict>(one);
  const auto kind = get<std::string>(given, "mark");
  const auto label = get<std::string>(given, "label");
  const report::Role role = role_of(get<std::string>(given, "role", "estimate"));
  const auto x = get<Numbers>(given, "x");
  if (kind == "line") return report::Line{.label = label, .role = role, .x = x, .y = get<Numbers>(given, "y")};
  if (kind == "points") return report::Points{.label = label, .role = role, .x = x, .y = get<Numbers>(given, "y")};
  const auto lower = get<Numbers>(given, "lower");
  const auto upper = get<Numbers>(given, "upper");
  if (kind == "band") return report::Band{.label = label, .role = role, .x = x, .lower = lower, .upper = upper};
  base::require(kind == "intervals", ErrorCode::failure, "there is no mark {}", base::quoted(kind));
  return report::Intervals{.label = label, .role = role, .x = x, .lower = lower, .upper = upper};
}

report::Scale scale_of(const nb::dict& given, const char* name) {
  return get<bool>(given, name) ? report::Scale::logarithmic : report::Scale::linear;
}

report::Chart chart_of(nb::handle one) {
  const auto given = nb::cast<nb::dict>(one);
  report::Chart chart{.title = get<std::string>(given, "title"),
                      .subtitle = get<std::string>(given, "subtitle"),
                      .description = get<std::string>(given, "description"),
                      .x_title = get<std::string>(given, "x_title"),
                      .y_title = get<std::string>(given, "y_title"),
                      .x_scale = scale_of(given, "x_logarithmic"),
                      .y_scale = scale_of(given, "y_logarithmic"),
                      .x_names = get<std::vector<std::string>>(given, "x_names"),
                      .marks = list_of<report::Mark>(given, "marks", mark_of)};
  if (given.contains("y_range")) chart.y_range = nb::cast<report::Range>(given["y_range"]);
  return chart;
}

/// A dictionary, or what figure1_panels gave.
report::Figure figure_of(nb::handle one) {
  if (nb::isinstance<report::Figure>(one)) return nb::cast<report::Figure>(one);
  const auto given = nb::cast<nb::dict>(one);
  return {.caption = get<std::string>(given, "caption"),
          .columns = get<std::size_t>(given, "columns", 1),
          .charts = list_of<report::Chart>(given, "charts", chart_of)};
}

report::Table table_of(nb::handle one) {
  const auto given = nb::cast<nb::dict>(one);
  return {.caption = get<std::string>(given, "caption"),
          .headings = get<std::vector<std::string>>(given, "headings"),
          .rows = get<std::vector<std::vector<std::string>>>(given, "rows")};
}

report::Section section_of(nb::handle one) {
  const auto given = nb::cast<nb::dict>(one);
  return {.title = get<std::string>(given, "title"),
          .paragraphs = get<std::vector<std::string>>(given, "paragraphs"),
          .figures = list_of<report::Figure>(given, "figures", figure_of),
          .tables = list_of<report::Table>(given, "tables", table_of)};
}

std::string render_page(const nb::dict& given) {
  return report::render_page({.title = get<std::string>(given, "title"),
                              .lead = get<std::string>(given, "lead"),
                              .sections = list_of<report::Section>(given, "sections", section_of),
                              .footer = get<std::string>(given, "footer")});
}

report::Figure figure1_panels(const Ensemble& wide, std::size_t train_rows, const Dataset& test, const Array2& truth,
                              int threads) {
  return unlocked(
      [&] { return report::figure1_panels(report::make_figure1(wide, train_rows, test, view_of(truth), threads)); });
}

}  // namespace

void register_page(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<report::Figure>(module, "Figure", "Charts under one legend and one caption.");
  module.def("figure1_panels", &figure1_panels, "wide"_a, "train_rows"_a, "test"_a, "truth"_a.noconvert(), "threads"_a);
  module.def("render_page", &render_page, "page"_a);
  module.def(
      "table_text", [](const nb::dict& table) { return report::table_text(table_of(table)); }, "table"_a);
  module.def("percent", &report::percent, "fraction"_a);
  module.def("fixed", &report::fixed, "value"_a, "decimals"_a);
  module.def("significant", &report::significant, "value"_a, "digits"_a = 3);
}

}  // namespace credens::python
