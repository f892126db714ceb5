// SPDX-License-Identifier: Apache-2.0

#include "report/page.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/escape.hpp"

namespace credens::report {
namespace {

/// Nothing may be fetched; what the page carries may run and colour.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

constexpr std::string_view without_charts =
    "This program was built without the scripts that draw charts, so this page shows its tables only.";

constexpr std::string_view without_script = "The charts of this page need scripts. The tables hold the numbers.";

/// Three points in the shape that the page's script gives to those of a role.
std::string_view points_glyph(Role role) {
  switch (role) {
    case Role::second:
      return R"(<path class="points" d="M3 4h5v5h-5zM11 1h5v5h-5zM19 5h5v5h-5z"/>)";
    case Role::third:
      return R"(<path class="points" d="M2 10h6l-3-6zM11 7h6l-3-6zM20 11h6l-3-6z"/>)";
    case Role::fourth:
      return R"(<path class="points" d="M2 7l3-4 3 4-3 4zM11 5l3-4 3 4-3 4zM20 8l3-4 3 4-3 4z"/>)";
    default:
      return R"(<circle class="points" cx="6" cy="7" r="2.5"/><circle class="points" cx="14" cy="4" r="2.5"/>)"
             R"(<circle class="points" cx="22" cy="8" r="2.5"/>)";
  }
}

std::string_view glyph(const Band&) {
  return R"(<rect class="band" width="28" height="12"/>)";
}
std::string_view glyph(const Line&) {
  return R"(<path class="line" d="M0 6H28"/>)";
}
std::string_view glyph(const Points& points) {
  return points_glyph(points.role);
}
std::string_view glyph(const Bars&) {
  return R"(<path class="bars" d="M3 12V5h6v7zM11 12V1h6v11zM19 12V7h6v5z"/>)";
}
std::string_view glyph(const Intervals&) {
  return R"(<path class="line" d="M6 2V11M14 0V9M22 3V12"/>)";
}

/// One line of a legend: a sample of the mark and its name.
std::string legend_entry(const Mark& mark) {
  const std::string_view shape = std::visit([](const auto& given) { return glyph(given); }, mark);
  return fmt::format("<li class=\"{}\"><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">{}</svg>{}</li>\n",
                     style_of(mark), shape, html_text(label_of(mark)));
}

std::string legend(const Figure& figure) {
  std::vector<std::string> entries;
  for (const Chart& chart : figure.charts) {
    for (const Mark& mark : chart.marks) {
      if (label_of(mark).empty()) continue;
      const std::string entry = legend_entry(mark);
      if (std::find(entries.begin(), entries.end(), entry) == entries.end()) entries.push_back(entry);
    }
  }
  return fmt::format("<ul class=\"legend\">\n{}</ul>\n", fmt::join(entries, ""));
}

std::string chart_html(const Chart& chart) {
  return fmt::format(
      "<div class=\"chart\"><div class=\"drawing\"></div><script type=\"application/json\">{}</script></div>\n",
      script_json(vega_lite_spec(chart)));
}

std::string figure_html(const Figure& figure) {
  std::string charts;
  for (const Chart& chart : figure.charts) charts += chart_html(chart);
  return fmt::format(
      "<figure>\n{}<div class=\"panels "
      "columns-{}\">\n{}</div>\n<figcaption>{}</figcaption>\n<noscript><p>{}</p></noscript>\n"
      "</figure>\n",
      legend(figure), figure.columns, charts, html_text(figure.caption), without_script);
}

std::string figures_html(const Section& section) {
  std::string figures;
  for (const Figure& figure : section.figures) figures += figure_html(figure);
  if (section.figure_columns == 1) return figures;
  return fmt::format("<div class=\"figures panels columns-{}\">\n{}</div>\n", section.figure_columns, figures);
}

std::string section_html(const Section& section, bool with_charts) {
  std::string html = fmt::format("<section>\n<h2>{}</h2>\n", html_text(section.title));
  for (const std::string& paragraph : section.paragraphs) html += fmt::format("<p>{}</p>\n", html_text(paragraph));
  if (with_charts) {
    html += figures_html(section);
  } else if (!section.figures.empty()) {
    html += fmt::format("<p class=\"remark\">{}</p>\n", without_charts);
  }
  for (const Table& table : section.tables) html += table_html(table);
  if (!section.commands.empty())
    html += fmt::format("<pre tabindex=\"0\"><code>{}</code></pre>\n", html_text(section.commands));
  return html + "</section>\n";
}

std::string head(const Page& page) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n",
      content_policy, html_text(page.title), page_style());
}

std::string body(const Page& page, bool with_charts) {
  std::string html = fmt::format("<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n</header>\n<main>\n",
                                 html_text(page.title), html_text(page.lead));
  for (const Section& section : page.sections) html += section_html(section, with_charts);
  return html + fmt::format("</main>\n<footer><p>{}</p></footer>\n", html_text(page.footer));
}

std::string scripts_html(const ChartScripts& scripts) {
  return fmt::format(
      "<script>\n/*!\nVega, Vega-Lite, Vega-Embed and parts of D3:\n\n{}*/\n{}</script>\n<script>{}</script>\n"
      "<script>{}</script>\n<script>\n{}</script>\n",
      scripts.notices, scripts.vega, scripts.vega_lite, scripts.vega_embed, page_script());
}

bool has_charts(const Page& page) {
  return std::any_of(page.sections.begin(), page.sections.end(),
                     [](const Section& section) { return !section.figures.empty(); });
}

}  // namespace

std::string render_page(const Page& page, const ChartScripts& scripts) {
  std::string html = head(page) + "<body>\n" + body(page, scripts.available());
  if (scripts.available() && has_charts(page)) html += scripts_html(scripts);
  return html + "</body>\n</html>\n";
}

}  // namespace credens::report
