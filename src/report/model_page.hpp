// SPDX-License-Identifier: Apache-2.0
//
// The page of `report`: a model, judged by rows with known targets.

#pragma once

#include <credens/ensemble.hpp>

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/comparison.hpp"
#include "report/mean_budget.hpp"
#include "report/page.hpp"
#include "report/page_parts.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

/// A model and rows that come in blocks. Keeps a few numbers per row and output, not the predictions of each member.
class ModelReport {
 public:
  /// The ensemble must live as long; otherwise as Comparer.
  ModelReport(const Ensemble& ensemble, const scoring::IntervalOptions& interval, double largest_weight);

  void add(const scoring::Observations& rows);
  void set_training_share(const std::optional<double>& share) { training_share_ = share; }  ///< of all rows

  Comparison comparison() const;

  /// Rows that the page shows one by one: it needs their places.
  std::set<std::size_t> shown_rows() const;

  Page page(const PageNames& names, const RowPlaces& places) const;

 private:
  const Ensemble& ensemble_;
  scoring::IntervalOptions interval_;
  double largest_weight_;
  Comparer comparer_;
  std::optional<double> training_share_;
  MeanBudget budget_;
  std::vector<double> weights_;                      ///< of rows, relative to the largest; none: every row counts once
  std::vector<scoring::OutputDiagnostics> outputs_;  ///< of those that have charts
};

// Parts of the page, which model_charts.cpp draws.

/// An output of a model, for its charts.
struct ChartedOutput {
  std::string name;
  std::string unit;
  const scoring::OutputDiagnostics& rows;
  std::span<const double> weights;  ///< of rows; none: every row counts once
  const Scores& scores;
  double level = 0.95;
  bool is_extended = true;    ///< whether members have a width that a classical ensemble lacks
  std::size_t most_rows = 0;  ///< drawn one by one in a chart
};

std::vector<Figure> output_figures(const ChartedOutput& output);

/// Epistemic by total variance, row by row.
std::vector<double> epistemic_shares(const scoring::OutputDiagnostics& rows);

}  // namespace credens::report
