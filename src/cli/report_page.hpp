// SPDX-License-Identifier: Apache-2.0
//
// The page of `report`: a model, judged by rows with known targets.

#pragma once

#include <credens/ensemble.hpp>

#include <map>
#include <string>
#include <vector>

#include "cli/comparison.hpp"
#include "report/page.hpp"

namespace credens::cli {

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
  std::vector<report::Figure> figures = {};
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
  const ComparisonArguments& arguments;
  Comparison comparison = {};
  double effective_rows = 0;
  std::vector<ReportedOutput> outputs = {};
  RowPlaces places = {};
};

report::Page report_page(const ReportMatter& matter);

}  // namespace credens::cli
