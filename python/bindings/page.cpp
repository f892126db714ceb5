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
#include <span>
#include <string_view>

#include "arrays.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "module.hpp"
#include "report/figure1.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace credens::python {

namespace {

using Numbers = std::vector<double>;

/// The value under a name, or the default.
template <class Value>
Value get(const nb::dict& given, const char* name, Value otherwise = {}) {
  return given.contains(name) ? nb::cast<Value>(given[name]) : otherwise;
}

/// Applies `make` to each dictionary of a list.
template <class Value, class Make>
std::vector<Value> list_of(const nb::dict& given, const char* name, const Make& make) {
  std::vector<Value> values;
  if (!given.contains(name)) return values;
  for (const nb::handle one : nb::cast<nb::list>(given[name])) values.push_back(make(one));
  return values;
}

/// The place of a name among those of an enumeration.
template <class Enum>
Enum named(std::string_view what, std::span<const std::string_view> names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  base::require(found != names.end(), ErrorCode::failure, "there is no {} {}", what, base::quoted(name));
  return static_cast<Enum>(found - names.begin());
}

/// Lines and points have `y`, bands and intervals `lower` and `upper`.
report::Mark mark_of(nb::handle one) {
  constexpr std::string_view roles[] = {"estimate", "second", "third", "fourth", "truth", "reference"};
  constexpr std::string_view kinds[] = {"band", "line", "points", "intervals"};
  const auto given = nb::cast<nb::dict>(one);
  return {.kind = named<report::MarkKind>("mark", kinds, get<std::string>(given, "mark")),
          .label = get<std::string>(given, "label"),
          .role = named<report::Role>("role", roles, get<std::string>(given, "role", "estimate")),
          .x = get<Numbers>(given, "x"),
          .y = get<Numbers>(given, given.contains("lower") ? "lower" : "y"),
          .y_end = get<Numbers>(given, "upper")};
}

report::Chart chart_of(nb::handle one) {
  const auto given = nb::cast<nb::dict>(one);
  report::Chart chart{.title = get<std::string>(given, "title"),
                      .subtitle = get<std::string>(given, "subtitle"),
                      .description = get<std::string>(given, "description"),
                      .x_title = get<std::string>(given, "x_title"),
                      .y_title = get<std::string>(given, "y_title"),
                      .x_logarithmic = get<bool>(given, "x_logarithmic"),
                      .y_logarithmic = get<bool>(given, "y_logarithmic"),
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
