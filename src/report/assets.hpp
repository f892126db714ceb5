// SPDX-License-Identifier: Apache-2.0
//
// The files that a page carries with it, built into the program.

#pragma once

#include <string_view>

namespace credens::report {

/// The scripts that draw charts; all empty in a program that was built without them.
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

}  // namespace credens::report
