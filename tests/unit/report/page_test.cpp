// SPDX-License-Identifier: Apache-2.0

#include "report/page.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace credens::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr ChartScripts no_scripts = {};
constexpr ChartScripts stand_ins = {
    .vega = "let vega;", .vega_lite = "let lite;", .vega_embed = "let embed;", .notices = "BSD"};

Page small_page(const std::string& words = "words") {
  const Chart chart = {.title = words, .marks = {Line{.label = words, .x = {0, 1}, .y = {0, 1}}}};
  return {.title = words,
          .lead = words,
          .sections = {{.title = words,
                        .paragraphs = {words},
                        .figures = {{.caption = words, .charts = {chart, chart}}},
                        .tables = {{.caption = words, .headings = {"row", "value"}, .rows = {{words, "42"}}}},
                        .commands = words}},
          .footer = words};
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// The JSON documents that stand in the page's data elements.
std::vector<nlohmann::json> specs_in(const std::string& html) {
  const std::string opening = "<script type=\"application/json\">";
  std::vector<nlohmann::json> specs;
  for (auto at = html.find(opening); at != std::string::npos; at = html.find(opening, at + 1)) {
    const auto begin = at + opening.size();
    specs.push_back(nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin)));
  }
  return specs;
}

TEST(Page, CarriesItsScriptsAndOneSpecPerChart) {
  const std::string html = render_page(small_page(), stand_ins);
  for (const auto& script : {stand_ins.vega, stand_ins.vega_lite, stand_ins.vega_embed, page_script(), page_style()}) {
    EXPECT_THAT(html, HasSubstr(std::string(script)));
  }
  ASSERT_EQ(specs_in(html).size(), 2);
  EXPECT_EQ(specs_in(html)[0], vega_lite_spec(small_page().sections[0].figures[0].charts[0]));
}

TEST(Page, KeepsTheLicencesOfItsScripts) {
  EXPECT_THAT(render_page(small_page(), stand_ins), HasSubstr("BSD"));
}

TEST(Page, ShowsTablesAndSaysSoWithoutScripts) {
  const std::string html = render_page(small_page(), no_scripts);
  EXPECT_THAT(html, HasSubstr("<td>42</td>"));
  EXPECT_THAT(html, HasSubstr("built without the scripts that draw charts"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(Page, WithoutChartsNeedsNoScripts) {
  Page page = small_page();
  page.sections[0].figures.clear();
  EXPECT_THAT(render_page(page, stand_ins), Not(HasSubstr("<script")));
  EXPECT_THAT(render_page(page, no_scripts), Not(HasSubstr("built without")));
}

TEST(Page, NamesEachMarkOnceInTheLegend) {
  EXPECT_EQ(count(render_page(small_page(), stand_ins), "<li "), 1);
}

TEST(Page, LeavesMarksWithoutALabelOutOfTheLegend) {
  Page page = small_page();
  for (Chart& chart : page.sections[0].figures[0].charts)
    chart.marks.emplace_back(Points{.label = "", .x = {0}, .y = {0}});
  EXPECT_EQ(count(render_page(page, stand_ins), "<li "), 1);
}

TEST(Page, ShowsEachRoleWithItsOwnLooksInTheLegend) {
  Page page = small_page();
  std::vector<Mark>& marks = page.sections[0].figures[0].charts[0].marks;
  marks.clear();
  for (const Role role : {Role::estimate, Role::second, Role::third, Role::fourth}) {
    marks.emplace_back(Points{.label = "same", .role = role, .x = {0}, .y = {0}});
  }
  const std::string html = render_page(page, stand_ins);
  for (const char* style : {"estimate_points", "second_points", "third_points", "fourth_points"}) {
    EXPECT_EQ(count(html, fmt::format("<li class=\"{}\">", style)), 1) << style;
  }
}

TEST(Page, SetsFiguresSideBySideWhereAsked) {
  Page page = small_page();
  EXPECT_EQ(count(render_page(page, stand_ins), "<div class=\"figures"), 0);
  page.sections[0].figure_columns = 2;
  EXPECT_EQ(count(render_page(page, stand_ins), "<div class=\"figures panels columns-2\">\n<figure>"), 1);
}

TEST(Page, LetsNoHostileWordBecomeMarkup) {
  const std::string hostile = "</script></style></title>-->'\"><img src=x onerror=alert(1)>\xFF";
  const std::string html = render_page(small_page(hostile), stand_ins);
  const std::string friendly = render_page(small_page(), stand_ins);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_EQ(count(html, "<"), count(friendly, "<"));
  EXPECT_EQ(count(html, "</script>"), count(friendly, "</script>"));
  EXPECT_EQ(specs_in(html)[0].at("title").at("text"), hostile.substr(0, hostile.size() - 1) + "\uFFFD");
}

TEST(Page, ForbidsTheNetworkAndAsksForNothing) {
  const std::string html = render_page(small_page(), stand_ins);
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_EQ(count(html, "http://"), 0);
  EXPECT_EQ(count(html, "https://"), count(html, "https://vega.github.io/schema/vega-lite/v5.json"));
  EXPECT_EQ(count(html, " src="), 0);
  EXPECT_EQ(count(html, " href="), count(html, " href=\"data:,\""));
}

TEST(Page, HasOneMainHeadingALanguageAndAViewport) {
  const std::string html = render_page(small_page(), stand_ins);
  EXPECT_EQ(count(html, "<h1>"), 1);
  EXPECT_EQ(count(html, "<h2>"), 1);
  EXPECT_THAT(html, HasSubstr("<html lang=\"en\">"));
  EXPECT_THAT(html, HasSubstr("name=\"viewport\""));
}

}  // namespace
}  // namespace credens::report
