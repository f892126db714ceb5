// SPDX-License-Identifier: Apache-2.0

#include "report/page.hpp"

#include <credens/error.hpp>

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

namespace credens::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr ChartScripts no_scripts = {};
constexpr ChartScripts stand_ins = {
    .vega = "let vega;", .vega_lite = "let lite;", .vega_embed = "let embed;", .notices = "BSD"};

Page small_page(const std::string& words = "words") {
  const Chart chart = {.title = words, .marks = {{.kind = MarkKind::line, .label = words, .x = {0, 1}, .y = {0, 1}}}};
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
    chart.marks.push_back({.kind = MarkKind::points, .label = "", .x = {0}, .y = {0}});
  EXPECT_EQ(count(render_page(page, stand_ins), "<li "), 1);
}

TEST(Page, ShowsEachRoleWithItsOwnLooksInTheLegend) {
  Page page = small_page();
  std::vector<Mark>& marks = page.sections[0].figures[0].charts[0].marks;
  marks.clear();
  for (const Role role : {Role::estimate, Role::second, Role::third, Role::fourth}) {
    marks.push_back({.kind = MarkKind::points, .label = "same", .role = role, .x = {0}, .y = {0}});
  }
  const std::string html = render_page(page, stand_ins);
  for (const char* style : {"estimate_points", "second_points", "third_points", "fourth_points"}) {
    EXPECT_EQ(count(html, fmt::format("<li class=\"{}\">", style)), 1) << style;
  }
}

TEST(Page, SaysWhatIsDrawnInTwoWaysOnceInTheLegend) {
  Page page = small_page();
  page.sections[0].figures[0].charts[1].marks[0].kind = MarkKind::points;
  EXPECT_EQ(count(render_page(page, stand_ins), "<li "), 1);
}

TEST(Page, HasTheLegendBelowItsChartsAndTheBylineBelowTheLead) {
  Page page = small_page();
  EXPECT_THAT(render_page(page, stand_ins), Not(HasSubstr("<p class=\"byline\">")));
  page.byline = "Made on a day.";
  const std::string html = render_page(page, stand_ins);
  EXPECT_GT(html.find("<ul class=\"legend\">"), html.rfind("<div class=\"chart\">"));
  EXPECT_GT(html.find("<p class=\"byline\">Made on a day.</p>"), html.find("<p class=\"lead\">"));
}

TEST(Page, SetsWordsBesideTablesWhereNothingIsDrawn) {
  Page page = small_page();
  EXPECT_EQ(count(render_page(page, stand_ins), "<div class=\"beside\">"), 0);
  page.sections[0].figures.clear();
  EXPECT_EQ(count(render_page(page, stand_ins), "<div class=\"beside\">"), 1);
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

Table table_of_scores() {
  return {.caption = "At the test rows",
          .headings = {"", "classical", "extended"},
          .rows = {{"coverage", "68.0 %", "98.5 %"}, {"größe", "1.25", "10"}}};
}

TEST(TableHtml, FoldsATableAwayUnderItsCaption) {
  Table table = table_of_scores();
  table.is_folded = true;
  const std::string html = table_html(table);
  EXPECT_THAT(html, HasSubstr("<details>\n<summary>At the test rows</summary>"));
  EXPECT_THAT(html, Not(HasSubstr("<caption>")));
  EXPECT_THAT(html, HasSubstr("</div>\n</details>\n"));
}

TEST(TableHtml, NamesRowsAndColumnsForScreenReaders) {
  const std::string html = table_html(table_of_scores());
  EXPECT_THAT(html, HasSubstr("<caption>At the test rows</caption>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\">extended</th>"));
  EXPECT_THAT(html, HasSubstr("<tr><th scope=\"row\">coverage</th><td>68.0 %</td><td>98.5 %</td></tr>"));
}

TEST(TableHtml, ScrollsWithTheKeyboardAndSaysWhatItIs) {
  EXPECT_THAT(table_html(table_of_scores()),
              HasSubstr("tabindex=\"0\" role=\"group\" aria-label=\"At the test rows\""));
  EXPECT_THAT(table_html({.headings = {"a"}}), HasSubstr("aria-label=\"Table\""));
}

TEST(TableHtml, EscapesEveryCell) {
  const std::string html = table_html({.caption = "<i>", .headings = {"<b>"}, .rows = {{"<s>"}}});
  EXPECT_THAT(html, Not(HasSubstr("<i>")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("<s>")));
}

TEST(TableHtml, RefusesRowsThatDoNotFit) {
  EXPECT_THROW(table_html({.caption = "t", .headings = {"a", "b"}, .rows = {{"1"}}}), Error);
}

TEST(HtmlText, EscapesEverythingThatCouldLeaveItsPlace) {
  EXPECT_EQ(html_text("<b a=\"1\" c='2'>&amp;</b>"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
}

TEST(HtmlText, LeavesOtherAlphabetsAlone) {
  EXPECT_EQ(html_text("größe µ 温度 🙂"), "größe µ 温度 🙂");
}

TEST(HtmlText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(html_text("caf\xE9 au lait"), "caf\uFFFD au lait");
}

RC_GTEST_PROP(HtmlText, HoldsNoMarkupWhateverTheBytes, (const std::string& bytes)) {
  RC_ASSERT(html_text(bytes).find_first_of("<>\"'") == std::string::npos);
}

TEST(ScriptJson, CannotEndItsElement) {
  const std::string text = script_json({{"</script><script>alert(1)</script>", "<!-- <script"}});
  EXPECT_THAT(text, Not(HasSubstr("<")));
}

TEST(ScriptJson, WritesWhatIsNotFiniteAsNull) {
  EXPECT_EQ(script_json({std::numeric_limits<double>::quiet_NaN(), 1.5}), "[null,1.5]");
}

TEST(ScriptJson, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(script_json("\xFF"), "\"\uFFFD\"");
}

RC_GTEST_PROP(ScriptJson, ReadsBackAsTheSameText, ()) {
  std::string text;
  for (const char letter : *rc::gen::string<std::string>()) text += static_cast<char>(letter & 0x7F);
  RC_ASSERT(nlohmann::json::parse(script_json(text)).get<std::string>() == text);
}

TEST(Assets, StyleAndScriptAreAlwaysThere) {
  EXPECT_THAT(std::string(page_style()), HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(std::string(page_script()), HasSubstr("vegaEmbed"));
}

TEST(Assets, ChartScriptsAreAllThereOrNone) {
  const ChartScripts scripts = chart_scripts();
  for (const std::string_view part : {scripts.vega, scripts.vega_lite, scripts.vega_embed, scripts.notices}) {
    EXPECT_EQ(part.empty(), !scripts.available());
  }
}

TEST(Assets, NothingInThemCanEndItsElement) {
  const ChartScripts scripts = chart_scripts();
  for (const std::string_view script : {scripts.vega, scripts.vega_lite, scripts.vega_embed, page_script()}) {
    EXPECT_THAT(std::string(script), Not(HasSubstr("</script")));
    EXPECT_THAT(std::string(script), Not(HasSubstr("<!--")));
    EXPECT_THAT(std::string(script), Not(HasSubstr("sourceMappingURL")));
  }
  EXPECT_THAT(std::string(scripts.notices), Not(HasSubstr("*/")));
  EXPECT_THAT(std::string(page_style()), Not(HasSubstr("</style")));
}

TEST(Assets, StyleFetchesNothing) {
  EXPECT_THAT(std::string(page_style()), Not(HasSubstr("url(")));
  EXPECT_THAT(std::string(page_style()), Not(HasSubstr("@import")));
}

}  // namespace
}  // namespace credens::report
