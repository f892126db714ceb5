// SPDX-License-Identifier: Apache-2.0

#include "report/mean_budget.hpp"

#include <credens/budget.hpp>

#include <cmath>

#include <fmt/format.h>

#include "report/table.hpp"

namespace credens::report {

void MeanBudget::add(const Predictive& predictive, std::span<const double> weights) {
  const std::vector<Contribution> all = contributions(predictive);
  if (parts_.empty()) {
    for (const Contribution& part : all) {
      parts_.push_back({part.name, part.adds_up, std::vector<double>(predictive.outputs())});
    }
  }
  for (std::size_t row = 0; row < predictive.rows(); ++row) {
    const double weight = weights.empty() ? 1 : weights[row];
    weight_ += weight;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < predictive.outputs(); ++k) {
        parts_[i].squares[k] += weight * all[i].std(row, k) * all[i].std(row, k);
      }
    }
  }
}

Section MeanBudget::section(std::span<const std::string> labels) const {
  Section section{
      .title = "What the uncertainty is made of",
      .paragraphs = {"Root mean squares over the rows, and shares of the mean variance. Noise stays with any "
                     "number of training rows. Between members is how far the networks disagree, within "
                     "members how little each is held by its rows; both fall with more rows near these. "
                     "The same numbers for single rows come from credens budget."}};
  for (std::size_t k = 0; k < labels.size(); ++k) {
    double total = 0;
    for (const Part& part : parts_) total += part.adds_up ? part.squares[k] : 0;
    Table table{.caption = "Budget of " + labels[k], .headings = {"contribution", "standard uncertainty", "share"}};
    for (const Part& part : parts_) {
      table.rows.push_back(
          {part.name, significant(std::sqrt(part.squares[k] / weight_)), percent(part.squares[k] / total)});
    }
    table.rows.push_back({"total", significant(std::sqrt(total / weight_)), percent(1)});
    section.tables.push_back(std::move(table));
  }
  return section;
}

}  // namespace credens::report
