// SPDX-License-Identifier: Apache-2.0
//
// One HTML page that carries everything it needs: it makes no request, reads in light and dark, on a phone and on
// paper, and shows its tables where no script runs.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/assets.hpp"
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
  std::string lead = {};  ///< one or two sentences under the title
  std::vector<Section> sections = {};
  std::string footer = {};
};

std::string render_page(const Page& page, const ChartScripts& scripts = chart_scripts());

}  // namespace credens::report
