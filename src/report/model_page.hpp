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

/// Where rows stand in their file, and their inputs.
struct RowPlaces {
  std::string word = "row";  ///< what is counted: lines of a text file from 1, rows of an array from 0
  std::size_t first = 0;     ///< the number of row 0
  std::map<std::size_t, std::vector<double>> inputs = {};  ///< by row; none where the data are arrays of members
};

struct ReportMatter {
  const Ensemble& ensemble;
  double level = 0.95;
  Comparison comparison = {};
  double effective_rows = 0;
  std::vector<ReportedOutput> outputs = {};
  std::string model_name = {};  ///< a path, of which the page tells the file's name
  std::string data_name = {};
  RowPlaces places = {};
};

/// Makes the matter of rows that come in blocks: all but names and places. Of a row it keeps a few numbers per output,
/// not what each member said.
class Judge {
 public:
  /// The ensemble must live as long; otherwise as Comparer.
  Judge(const Ensemble& ensemble, const ScoreOptions& options, double largest_weight);

  void add(const scoring::ScoredRows& rows);
  ReportMatter matter() const;

 private:
  std::vector<ReportedOutput> reported_outputs(const Comparison& comparison) const;

  const Ensemble& ensemble_;
  ScoreOptions options_;
  double largest_weight_;
  Comparer comparer_;
  std::vector<double> weights_;               ///< of rows, relative to the largest; none: every row counts once
  std::vector<scoring::OutputRows> outputs_;  ///< of those that have charts
};

/// Those whose places the page needs.
std::set<std::size_t> shown_rows(const ReportMatter& matter);

Page model_page(const ReportMatter& matter);

}  // namespace credens::report
