// SPDX-License-Identifier: Apache-2.0

#include "report/page.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

// The files that a page carries with it, built into the program.
extern "C" const char credens_asset_style_begin[], credens_asset_style_end[];
extern "C" const char credens_asset_script_begin[], credens_asset_script_end[];
extern "C" const char credens_asset_vega_begin[], credens_asset_vega_end[];
extern "C" const char credens_asset_vega_lite_begin[], credens_asset_vega_lite_end[];
extern "C" const char credens_asset_vega_embed_begin[], credens_asset_vega_embed_end[];
extern "C" const char credens_asset_notices_begin[], credens_asset_notices_end[];

namespace credens::report {
namespace {

/// Nothing may be fetched; what the page carries may run and colour.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'";

/// Tables with more columns than these stand alone.
constexpr std::size_t most_columns_beside = 4;

constexpr std::string_view without_charts =
    "This program was built without the scripts that draw charts, so this page shows its tables only.";

constexpr std::string_view without_script = "The charts of this page need scripts. The tables hold the numbers.";

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Development tools would look for the file that the last comment of a minified script names, and complain.
std::string_view without_source_map(std::string_view script) {
  return script.substr(0, script.rfind("//# sourceMappingURL="));
}

/// JSON's writer repairs what is not UTF-8.
std::string repaired_dump(const nlohmann::json& value) {
  constexpr int compact = -1;
  return value.dump(compact, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view entity(char letter) {
  switch (letter) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

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

/// A sample of a mark.
std::string_view glyph(const Mark& mark) {
  switch (mark.kind) {
    case MarkKind::band:
      return R"(<rect class="band" width="28" height="12"/>)";
    case MarkKind::line:
      return R"(<path class="line" d="M0 6H28"/>)";
    case MarkKind::points:
      return points_glyph(mark.role);
    case MarkKind::intervals:
      return R"(<path class="line" d="M6 2V11M14 0V9M22 3V12"/>)";
    case MarkKind::bars:
      return R"(<path class="bars" d="M3 12V5h6v7zM11 12V1h6v11zM19 12V7h6v5z"/>)";
    case MarkKind::cells:
      break;
  }
  return {};
}

std::string legend_entry(const Mark& mark) {
  return fmt::format("<li class=\"{}\"><svg viewBox=\"0 0 28 12\" aria-hidden=\"true\">{}</svg>{}</li>\n",
                     style_of(mark), glyph(mark), html_text(mark.label));
}

/// A meaning that is drawn in two ways, such as an interval as an area and as strokes, stands in the legend once.
std::string legend(const Figure& figure) {
  std::set<std::pair<std::string, Role>> known;
  std::string entries;
  for (const Chart& chart : figure.charts) {
    for (const Mark& mark : chart.marks) {
      if (mark.label.empty() || mark.kind == MarkKind::cells) continue;
      if (known.emplace(mark.label, mark.role).second) entries += legend_entry(mark);
    }
  }
  return fmt::format("<ul class=\"legend\">\n{}</ul>\n", entries);
}

std::string figure_html(const Figure& figure) {
  std::string charts;
  for (const Chart& chart : figure.charts) {
    charts += fmt::format(
        "<div class=\"chart\"><div class=\"drawing\"></div><script type=\"application/json\">{}</script></div>\n",
        script_json(vega_lite_spec(chart)));
  }
  return fmt::format(
      "<figure>\n<div class=\"panels columns-{}\">\n{}</div>\n{}<figcaption>{}</figcaption>\n"
      "<noscript><p>{}</p></noscript>\n</figure>\n",
      figure.columns, charts, legend(figure), html_text(figure.caption), without_script);
}

std::string figures_html(const Section& section) {
  std::string figures;
  for (const Figure& figure : section.figures) figures += figure_html(figure);
  if (section.figure_columns == 1) return figures;
  return fmt::format("<div class=\"figures panels columns-{}\">\n{}</div>\n", section.figure_columns, figures);
}

std::string html_row(const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (std::size_t col = 0; col < cells.size(); ++col) {
    const std::string cell = html_text(cells[col]);
    row += col == 0 ? fmt::format(R"(<th scope="row">{}</th>)", cell) : fmt::format("<td>{}</td>", cell);
  }
  return row + "</tr>\n";
}

std::string paragraphs_html(const Section& section) {
  std::string paragraphs;
  for (const std::string& paragraph : section.paragraphs)
    paragraphs += fmt::format("<p>{}</p>\n", html_text(paragraph));
  return paragraphs;
}

std::string tables_html(const Section& section) {
  if (section.tables.empty()) return "";
  std::string tables;
  for (const Table& table : section.tables) tables += table_html(table);
  return section.figures.empty() ? fmt::format("<div class=\"tables\">\n{}</div>\n", tables) : tables;
}

/// Words and tables stand side by side where nothing is drawn between them.
std::string section_html(const Section& section, bool with_charts) {
  std::string html = fmt::format("<section>\n<h2>{}</h2>\n", html_text(section.title));
  const bool is_wide = section.figures.empty() && !section.paragraphs.empty() && !section.tables.empty();
  if (is_wide) {
    html += fmt::format("<div class=\"beside\">\n<div>\n{}</div>\n{}</div>\n", paragraphs_html(section),
                        tables_html(section));
  } else {
    html += paragraphs_html(section);
    if (with_charts) {
      html += figures_html(section);
    } else if (!section.figures.empty()) {
      html += fmt::format("<p class=\"remark\">{}</p>\n", without_charts);
    }
    html += tables_html(section);
  }
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
  std::string html =
      fmt::format("<header>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", html_text(page.title), html_text(page.lead));
  if (!page.byline.empty()) html += fmt::format("<p class=\"byline\">{}</p>\n", html_text(page.byline));
  html += "</header>\n<main>\n";
  for (const Section& section : page.sections) html += section_html(section, with_charts);
  return html + fmt::format("</main>\n<footer><p>{}</p></footer>\n", html_text(page.footer));
}

std::string scripts_html(const ChartScripts& scripts) {
  return fmt::format(
      "<script>\n/*!\nVega, Vega-Lite, Vega-Embed and parts of D3:\n\n{}*/\n{}</script>\n<script>{}</script>\n"
      "<script>{}</script>\n<script>\n{}</script>\n",
      scripts.notices, scripts.vega, scripts.vega_lite, scripts.vega_embed, page_script());
}

}  // namespace

ChartScripts chart_scripts() {
  return {.vega = without_source_map(between(credens_asset_vega_begin, credens_asset_vega_end)),
          .vega_lite = without_source_map(between(credens_asset_vega_lite_begin, credens_asset_vega_lite_end)),
          .vega_embed = without_source_map(between(credens_asset_vega_embed_begin, credens_asset_vega_embed_end)),
          .notices = between(credens_asset_notices_begin, credens_asset_notices_end)};
}

std::string_view page_style() {
  return between(credens_asset_style_begin, credens_asset_style_end);
}

std::string_view page_script() {
  return between(credens_asset_script_begin, credens_asset_script_end);
}

std::string table_html(const Table& table) {
  check(table);
  // A table wider than the screen scrolls; the tabindex lets a keyboard scroll it.
  const std::string caption = html_text(table.caption);
  std::string html = table.is_folded ? fmt::format("<details>\n<summary>{}</summary>\n", caption) : "";
  const bool is_wide = table.headings.size() > most_columns_beside;
  html += fmt::format("<div class=\"table{}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table>\n",
                      is_wide ? " wide" : "", caption.empty() ? "Table" : caption);
  if (!table.is_folded) html += fmt::format("<caption>{}</caption>\n", caption);
  html += "<thead><tr>";
  for (const std::string& heading : table.headings)
    html += fmt::format(R"(<th scope="col">{}</th>)", html_text(heading));
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) html += html_row(row);
  return html + "</tbody>\n</table></div>\n" + (table.is_folded ? "</details>\n" : "");
}

std::string html_text(std::string_view text) {
  const std::string valid =
      nlohmann::json::parse(repaired_dump(text)).get<std::string>();  // quotes and escapes are off
  std::string escaped;
  for (const char letter : valid) {
    const std::string_view name = entity(letter);
    escaped += name.empty() ? std::string_view(&letter, 1) : name;
  }
  return escaped;
}

/// Only strings of a JSON document can hold the letter that is escaped.
std::string script_json(const nlohmann::json& value) {
  std::string escaped;
  for (const char letter : repaired_dump(value)) {
    escaped += letter == '<' ? std::string_view("\\u003c") : std::string_view(&letter, 1);
  }
  return escaped;
}

std::string render_page(const Page& page, const ChartScripts& scripts) {
  std::string html = head(page) + "<body>\n" + body(page, scripts.available());
  const bool has_charts =
      std::ranges::any_of(page.sections, [](const Section& section) { return !section.figures.empty(); });
  if (scripts.available() && has_charts) html += scripts_html(scripts);
  return html + "</body>\n</html>\n";
}

}  // namespace credens::report
