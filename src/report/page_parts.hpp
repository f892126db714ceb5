// SPDX-License-Identifier: Apache-2.0
//
// Parts of the pages about a model.

#pragma once

#include <credens/ensemble.hpp>

#include <map>
#include <string>
#include <vector>

#include "report/effects.hpp"
#include "report/page.hpp"

namespace credens::report {

/// Single rows that a page names.
constexpr std::size_t most_named_rows = 12;

/// Model and data of a page, and its own title and date. Names are paths, of which the page shows the file's name
/// alone.
struct PageNames {
  std::string model;
  std::string data;
  std::string title = {};  ///< empty: the usual one
  std::string date = {};   ///< empty: data::today()
};

/// A page with title, date and footer.
Page begin_page(const PageNames& names);

/// The positions of rows in their file, and their inputs.
struct RowPlaces {
  std::string word = "row";  ///< what is counted: lines of a text file from 1, rows of an array from 0
  std::map<std::size_t, std::size_t> numbers = {};            ///< by row; the row itself where there is none
  std::map<std::size_t, std::vector<double>> inputs = {};     ///< by row; none where the data are arrays of members
  std::vector<std::string> kept_names = {};                   ///< of further columns that are shown
  std::map<std::size_t, std::vector<std::string>> kept = {};  ///< by row: the cells of these columns
  InputSample sample = {};                                    ///< empty where the data are arrays of members

  /// The number by which the page calls the row.
  std::string name_of(std::size_t row) const;
};

/// Columns of a table of rows that tell which row it is: kept cells, and inputs where they are known.
class RowColumns {
 public:
  /// Both must live as long.
  RowColumns(const Ensemble& ensemble, const RowPlaces& places);

  void add_headings(std::vector<std::string>& headings) const;
  void add_cells(std::size_t row, std::vector<std::string>& cells) const;

 private:
  const model::EnsembleState& state_;
  const RowPlaces& places_;
  std::vector<std::string> labels_;
};

/// The name without its folder: a page may be shared, and folders are private.
std::string file_name(const std::string& path);

Table two_columns(std::string caption, std::string left, std::string right, const Lines& lines);

/// Scores of held-out rows, found by `fit`.
Section expectation_section(const Ensemble& ensemble);

/// Columns, configurations, ladder, members and options of the model.
Section making_section(const Ensemble& ensemble, const std::string& model_name);

}  // namespace credens::report
