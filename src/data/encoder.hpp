// SPDX-License-Identifier: Apache-2.0
//
// From a row of a schema to the floats that networks see: numbers transformed and scaled, then flags of missing cells
// and cycles of dates, then the codes of words and of days of the year, by which a network looks up what it learned of
// them.

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/scaler.hpp"
#include "data/schema.hpp"

namespace credens::data {

/// Periods that dates may repeat with.
enum class Cycle { day, week, year };

double seconds_of(Cycle cycle);

/// Waves of a cycle, of 1, 2, ... periods in it: the three of a week tell its seven days apart.
std::size_t waves_of(Cycle cycle);

/// A network's table of learned vectors: one row for each code.
struct LevelTable {
  std::size_t rows = 0;
  std::size_t width = 0;
  bool operator==(const LevelTable&) const = default;
};

/// How one input enters the networks.
struct InputEncoding {
  ColumnKind kind = ColumnKind::number;
  bool flags_missing = false;             ///< of a number or date: enough rows without it to learn from
  std::vector<Cycle> cycles = {};         ///< of a date
  std::vector<std::uint32_t> codes = {};  ///< of a category: by level; levels too rare to learn share one. Of a date:
                                          ///< none, or by day of the calendar
  std::size_t learned = 0;                ///< levels or days that have a code of their own: 0, 1, ...
  bool operator==(const InputEncoding&) const = default;

  std::uint32_t rare_code() const { return static_cast<std::uint32_t>(learned); }
  std::uint32_t missing_code() const { return static_cast<std::uint32_t>(learned + 1); }
  std::uint32_t unseen_code() const { return static_cast<std::uint32_t>(learned + 2); }
  bool has_table() const { return kind == ColumnKind::category || !codes.empty(); }
  LevelTable table() const;

  /// The code of a level's index, of NaN (missing) or of an index beyond the levels (a word never seen).
  std::uint32_t code_of(double level) const;
};

class Encoder {
 public:
  Scaler scaler;  ///< of all inputs; shift 0 and scale 1 for categories

  Encoder(Scaler of_inputs = {}, std::vector<InputEncoding> encodings = {});

  const std::vector<InputEncoding>& columns() const { return columns_; }  ///< of all inputs; empty: plain numbers
  std::size_t inputs() const { return scaler.cols(); }
  std::size_t numbers() const { return inputs() - words_; }  ///< with dates: the first floats of an encoded row
  std::size_t flags() const { return flags_; }               ///< flags, sines and cosines: those after them
  const std::vector<LevelTable>& tables() const {
    return tables_;
  }  ///< of the categories and calendars; codes are last
  std::size_t width() const { return numbers() + flags_ + tables_.size(); }  ///< floats of an encoded row
  bool operator==(const Encoder&) const = default;

 private:
  std::vector<InputEncoding> columns_;
  std::size_t words_ = 0;  ///< categories
  std::size_t flags_ = 0;
  std::vector<LevelTable> tables_;
};

/// The outcome of encoding rows.
struct Encoded {
  bool in_range = true;      ///< no scaled value is beyond largest_scaled or infinite; else the floats are unfinished
  bool has_missing = false;  ///< a number without flag is missing: NaN among the floats
};

/// Inputs [n x d] become n rows of `stride` floats, pads zero.
Encoded encode(const Encoder& encoder, MatrixView inputs, float* out, std::size_t stride);

/// Row and column of the first value that `encode` refused.
std::pair<std::size_t, std::size_t> refused_cell(const Encoder& encoder, MatrixView inputs);

}  // namespace credens::data
