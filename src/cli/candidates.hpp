// SPDX-License-Identifier: Apache-2.0
//
// Rows that could be measured: a table of them, or a box that they may be chosen from.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/rows.hpp"

namespace credens::cli {

struct Candidates {
  Matrix inputs = {};
  Matrix noise_std = {};                    ///< empty: none is known
  std::vector<double> cost = {};            ///< empty: none is given
  std::vector<std::string> columns = {};    ///< headings of the whole rows
  std::vector<std::string> rows = {};       ///< these as text, with delimiters
  char delimiter = ',';
  std::size_t first_line = 0;  ///< of the first row in its text file; 0: no text file
};

/// The rows of the table that `arguments` name, whole; costs, which must be above 0, are in the column `cost`, if one
/// is named.
Candidates read_candidates(const Ensemble& ensemble, RowArguments arguments, const std::string& cost);

/// Rows that fill a box: the intervals of the inputs are rows `input,lower,upper` of a table, and words take all values
/// that the model knows.
Candidates candidates_within(const Ensemble& ensemble, const std::string& bounds, std::size_t count,
                             std::uint64_t seed);

}  // namespace credens::cli
