// SPDX-License-Identifier: Apache-2.0
//
// One HTML page that carries everything it needs: it makes no request, reads in light and dark, on a phone and on
// paper, and shows its tables where no script runs.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "report/chart.hpp"
#include "report/table.hpp"

namespace credens::report {

/// Charts side by side under one legend and one caption.
struct Figure {
  std::string caption = {};
  std::size_t columns = 1;  ///< on a wide screen
  std::vector<Chart> charts = {};
};

/// Shown in this order. All text is plain text.
struct Section {
  std::string title = {};
  std::vector<std::string> paragraphs = {};
  std::size_t figure_columns = 1;  ///< figures side by side on a wide screen
  std::vector<Figure> figures = {};
  std::vector<Table> tables = {};
  std::string commands = {};  ///< lines to type
};

struct Page {
  std::string title = {};
  std::string lead = {};    ///< one or two sentences under the title
  std::string byline = {};  ///< a line below: when the page was made
  std::vector<Section> sections = {};
  std::string footer = {};
};

/// The scripts that draw charts, built into the program; all empty in one that was built without them.
struct ChartScripts {
  std::string_view vega;
  std::string_view vega_lite;
  std::string_view vega_embed;
  std::string_view notices;  ///< the licences that travel with them

  bool available() const { return !vega.empty() && !vega_lite.empty() && !vega_embed.empty(); }
};

ChartScripts chart_scripts();
std::string_view page_style();   ///< CSS
std::string_view page_script();  ///< draws the charts of a page

std::string render_page(const Page& page, const ChartScripts& scripts = chart_scripts());
std::string table_html(const Table& table);

/// Text for an element or a quoted attribute: column names and titles may hold anything. Bytes that are not UTF-8
/// become the replacement character.
std::string html_text(std::string_view text);

/// JSON that cannot end the script element it stands in: no `<` is left in it. What is not finite is null.
std::string script_json(const nlohmann::json& value);

}  // namespace credens::report
