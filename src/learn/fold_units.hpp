// SPDX-License-Identifier: Apache-2.0
//
// Rows that say the same thing twice are no test of each other: which rows are held out together.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "data/row_summary.hpp"

namespace credens::learn {

/// A partition of rows into units, of which none is ever split by a fold.
struct FoldUnits {
  enum class Kind {
    rows,    ///< every row is a unit of its own
    copies,  ///< rows with equal inputs
    groups,  ///< rows of one group
    times,   ///< rows of one time; units are numbered in the order of time
  };

  FoldUnits(std::size_t all_rows = 0) : rows(all_rows), count(all_rows) {}  // NOLINT: rows are units too

  Kind kind = Kind::rows;
  std::size_t rows;
  std::size_t count;                       ///< units
  std::vector<std::uint32_t> of_row = {};  ///< the unit of each row; empty where every row is one
  std::vector<std::uint32_t> strata = {};  ///< of each row: folds have about the same share of each; empty: none

  bool are_rows() const { return kind == Kind::rows; }
  std::uint32_t unit(std::size_t row) const { return are_rows() ? static_cast<std::uint32_t>(row) : of_row[row]; }
  std::vector<std::size_t> sizes() const;  ///< rows of each unit
  std::string_view noun() const;           ///< of one unit

  /// Units of some of the rows, ascending.
  FoldUnits subset(const std::vector<std::uint32_t>& some) const;

  /// 32 hexadecimal digits that tell one partition from another; empty where the inputs alone make it.
  std::string digits() const;
};

/// Fewer different inputs than this are conditions that new rows will meet again: their rows are held out one by one.
constexpr std::size_t fewest_inputs = 10;

/// With groups, rows of one group; with times, rows of one time, and with both, blocks of time that cut no group. With
/// neither, rows with equal inputs. Units are numbered by their first row, or by time. Without keys every row is one.
FoldUnits make_fold_units(const data::RowKeys& keys, std::size_t rows);

/// The fold, below `folds`, of each unit; none is empty where there are as many units. In time, folds are contiguous
/// and have about the same number of rows. Other units go in random order, large ones first, to the fold that has the
/// fewest rows, stratum by stratum.
std::vector<std::uint32_t> fold_of_units(const FoldUnits& units, std::size_t folds, base::RandomStream& random);

/// Rows of a part, ascending: units at random, in time the last ones, until they are `least_rows` rows and
/// `least_units` units; one unit at least is left. Of strata it takes about the same share each.
std::vector<std::uint32_t> rows_of_part(const FoldUnits& units, std::size_t least_rows, std::size_t least_units,
                                        base::RandomStream& random);

}  // namespace credens::learn
