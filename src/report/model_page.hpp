// SPDX-License-Identifier: Apache-2.0
//
// The page of `report`: a model, judged by rows with known targets.

#pragma once

#include <credens/ensemble.hpp>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/comparison.hpp"
#include "report/page.hpp"
#include "score/diagnostics.hpp"

namespace credens::report {

/// A row that is shown by itself.
struct ReportedRow {
  std::size_t row = 0;  ///< 0-based, in the data
  double observed = 0;
  double mean = 0;
  double aleatoric_std = 0;
  double epistemic_std = 0;
  double epistemic_share = 0;  ///< epistemic by total variance
};

struct ReportedOutput {
  std::string name;
  std::vector<Figure> figures = {};
  std::vector<ReportedRow> most_epistemic = {};  ///< largest share first
};

/// The positions of rows in their file, and their inputs.
struct RowPlaces {
  std::string word = "row";  ///< what is counted: lines of a text file from 1, rows of an array from 0
  std::size_t first = 0;     ///< the number of row 0
  std::map<std::size_t, std::vector<double>> inputs = {};  ///< by row; none where the data are arrays of members
};

struct ReportContent {
  const Ensemble& ensemble;
  double level = 0.95;
  Comparison comparison = {};
  double effective_rows = 0;
  std::vector<ReportedOutput> outputs = {};
  std::string model_name = {};  ///< a path; the page shows the file's name alone
  std::string data_name = {};
  RowPlaces places = {};
};

/// Collects the content of a report, all but names and places, from rows that come in blocks. Keeps a few numbers per
/// row and output, not the predictions of each member.
class ReportBuilder {
 public:
  /// The ensemble must live as long; otherwise as Comparer.
  ReportBuilder(const Ensemble& ensemble, const scoring::IntervalOptions& interval, double largest_weight);

  void add(const scoring::Observations& rows);
  ReportContent content() const;

 private:
  std::vector<ReportedOutput> reported_outputs(const Comparison& comparison) const;

  const Ensemble& ensemble_;
  scoring::IntervalOptions interval_;
  double largest_weight_;
  Comparer comparer_;
  std::vector<double> weights_;                      ///< of rows, relative to the largest; none: every row counts once
  std::vector<scoring::OutputDiagnostics> outputs_;  ///< of those that have charts
};

/// Rows that the page shows one by one: it needs their places.
std::set<std::size_t> shown_rows(const ReportContent& content);

Page model_page(const ReportContent& content);

}  // namespace credens::report
