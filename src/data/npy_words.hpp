// SPDX-License-Identifier: Apache-2.0
//
// The words of a packed table. Its values are codes and seconds, and behind them stand, as further arrays of the file,
// what they mean: the names of the columns, their kinds as text [cols] (`date with zone` is one), and for each column
// of words, in order, its words as bytes, each ended by a zero byte.

#pragma once

#include <credens/dataset.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/table.hpp"

namespace credens::data {

/// Names, kinds and words of the columns of an array.
struct NpyColumns {
  std::vector<std::string> names = {};                ///< empty: there are none
  std::vector<ColumnKind> kinds = {};                 ///< empty: all are numbers
  std::vector<bool> zones = {};                       ///< one for each of the kinds: whether it is a date with a zone
  std::vector<std::vector<std::string>> levels = {};  ///< one list per column; empty: there are no words
};

/// The arrays behind the values; nothing where columns are numbers without names.
std::string npy_columns(const NpyColumns& columns);

/// Reads them behind the values of an array of `cols` columns. Anything else throws data.
NpyColumns parse_npy_columns(std::string_view bytes, std::size_t cols, const std::string& source);

/// From the codes of a file to those of whoever reads it.
class NpyCodes {
 public:
  NpyCodes() = default;

  /// Each column as `columns` says, one for each of the file's.
  NpyCodes(const NpyColumns& file, std::vector<ColumnReading> columns);

  ColumnKind kind(std::size_t col) const { return kinds_.empty() ? ColumnKind::number : kinds_[col]; }
  const std::vector<std::string>& levels(std::size_t col) const;

  /// Whole rows. A code beyond the words of its column becomes NaN.
  void translate(std::span<double> rows) const;

 private:
  std::vector<ColumnKind> kinds_;
  std::vector<std::vector<std::string>> levels_;
  std::vector<std::vector<double>> codes_;  ///< by column: of each code of the file; empty: values stay
  bool is_identity_ = true;
};

}  // namespace credens::data
