// SPDX-License-Identifier: Apache-2.0

#include <credens/version.hpp>

#include <algorithm>

#include <fmt/format.h>

#include "cli/figure1_page.hpp"
#include "cli/reproduce_parts.hpp"
#include "study/uci.hpp"

namespace credens::cli {
namespace {

bool has_paper(const Reproduction& reproduction) {
  return std::ranges::any_of(reproduction.results,
                             [](const study::Result& result) { return result.experiment != study::uci_experiment; });
}

report::Section introduction(const Reproduction& reproduction) {
  report::Section section{.title = "What this page shows",
                          .paragraphs = {"The classical ensemble and the extended one are made of the same networks. "
                                         "Intervals hold 95 %, as mean ± 1.96 standard deviations."}};
  if (has_paper(reproduction)) {
    section.paragraphs.emplace_back(
        "Each network of the paper's experiments has 128, 64 and 32 hidden units and is trained by itself. The paper "
        "shows single runs; here every number is a mean over repetitions with their standard deviation.");
  }
  for (const auto& [title, reason] : reproduction.left_out) {
    section.paragraphs.push_back(fmt::format("{} is left out: {}.", title, reason));
  }
  return section;
}

report::Section figure1_section(const Reproduction& reproduction) {
  report::Section section = figure1_panels(reproduction.figure1.value());
  section.paragraphs = {
      "The panels show the first repetition: 200 noisy rows of a quartic and ten networks. The table holds all "
      "repetitions, each with rows and weights of its own. The paper says of its single run that the classical "
      "ensemble covers the regression function in less than 60 % of the test cases, the extended one completely."};
  section.tables = figure1_tables(reproduction);
  return section;
}

report::Section figure2_section(const Reproduction& reproduction) {
  return {.title = "Figure 2",
          .paragraphs = {"A function of two inputs with noise of standard deviation 0.2. The paper: “coverage "
                         "probability of over 80 % in almost every setting”, about 70 % for a single network, and no "
                         "gain from more networks."},
          .figures = {figure2_charts(reproduction)},
          .tables = figure2_tables(reproduction)};
}

report::Section table2_section(std::vector<report::Table> tables) {
  return {.title = "Tables 1 and 2",
          .paragraphs = {"Real data with the settings of the paper's Table 1. RMSE and coverages refer to the noisy "
                         "targets of rows held back, RMSE in standard deviations of the training targets. Without an "
                         "official split a fifth of the rows is held back at random, another fifth in each repetition; "
                         "with one, repetitions differ in their initial weights and the order of rows.",
                         "The paper does not say whether its λ stands beside the mean of the losses or their sum. Both "
                         "readings are shown: a prior precision of N λ, and of λ as written. A published value counts "
                         "as inside when it lies between our least and our largest value, up to its own rounding."},
          .tables = std::move(tables)};
}

report::Section uci_section(const Reproduction& reproduction) {
  return {.title = "UCI benchmark",
          .paragraphs = {"Every split is one fit, which sees its training rows alone; the scores are those of the rows "
                         "held back, in the units of the data (airfoil: target standardised by the training rows). "
                         "Numbers are mean ± standard error over the splits. NLL is that of the exact mixture, in nats "
                         "per row. In the gap splits the middle third of one input is held back.",
                         "Published values come from ensembles of other sizes and from other methods: deep ensembles "
                         "2017 had five networks of one hidden layer. Ours has the members shown."},
          .figures = {uci_charts(reproduction)},
          .tables = uci_tables(reproduction)};
}

}  // namespace

report::Page reproduction_page(const Reproduction& reproduction) {
  const bool is_paper = has_paper(reproduction);
  report::Page page{.title = is_paper ? "Deep ensembles from a Bayesian perspective, reproduced" : "The UCI benchmark",
                    .lead = is_paper ? "The paper's figures and tables computed again, with the spread that single "
                                       "runs do not show, beside the published values."
                                     : "Public data that others have measured too, beside what they report.",
                    .sections = {introduction(reproduction)},
                    .footer = fmt::format("Made by credens {}: {}", version(), reproduction.command)};
  if (reproduction.figure1) page.sections.push_back(figure1_section(reproduction));
  if (!figure2_tables(reproduction).empty()) page.sections.push_back(figure2_section(reproduction));
  if (auto tables = table2_tables(reproduction); !tables.empty()) {
    page.sections.push_back(table2_section(std::move(tables)));
  }
  if (!uci_tables(reproduction).empty()) page.sections.push_back(uci_section(reproduction));
  if (auto theory = theory_section(reproduction)) page.sections.push_back(*std::move(theory));
  return page;
}

}  // namespace credens::cli
