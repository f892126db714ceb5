// SPDX-License-Identifier: Apache-2.0
//
// A reproduction of the paper's experiments or the UCI benchmark, and how it is shown: as tables, as charts, as one
// page.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "report/page.hpp"
#include "study/figure1.hpp"
#include "study/result.hpp"

namespace credens::cli {

enum class Experiment { figure1, figure2, table2, uci, all };  ///< all: the paper's three

struct Reproduction {
  std::vector<study::Result> results = {};
  std::vector<std::pair<std::string, std::string>> left_out = {};  ///< a data set and the reason
  std::optional<study::Figure1> figure1 = {};                      ///< the first repetition, for its curves
  std::string command = {};                                        ///< that makes it again
};

/// "68.1 % ± 7.0 %": mean and spread; the mean alone where there is one value.
std::string mean_and_spread(const study::Result& result);

/// For the page and for the terminal; none for an experiment without results.
std::vector<report::Table> figure1_tables(const Reproduction& reproduction);
std::vector<report::Table> figure2_tables(const Reproduction& reproduction);
std::vector<report::Table> table2_tables(const Reproduction& reproduction);
std::vector<report::Table> uci_tables(const Reproduction& reproduction);

/// Coverage and error against rows and members, with spread bands.
report::Figure figure2_charts(const Reproduction& reproduction);

/// Ours against published values, and what widening does to the NLL, by set.
report::Figure uci_charts(const Reproduction& reproduction);

/// What the theory says of widths, ratios and evidence, beside what was found; empty without results.
std::optional<report::Section> theory_section(const Reproduction& reproduction);

report::Page reproduction_page(const Reproduction& reproduction);

}  // namespace credens::cli

namespace credens::base {

template <>
struct EnumNames<cli::Experiment> {
  static constexpr std::string_view what = "experiment";
  static constexpr std::pair<cli::Experiment, std::string_view> entries[] = {{cli::Experiment::figure1, "figure1"},
                                                                             {cli::Experiment::figure2, "figure2"},
                                                                             {cli::Experiment::table2, "table2"},
                                                                             {cli::Experiment::uci, "uci"},
                                                                             {cli::Experiment::all, "all"}};
};

}  // namespace credens::base
