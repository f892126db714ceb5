// SPDX-License-Identifier: Apache-2.0
//
// The classes of a classification: their order, and which class a cell of the target stands for.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/schema.hpp"

namespace credens::data {

constexpr std::size_t most_classes = 1000;

/// A target of words has the codes of its levels, a target of numbers the numbers themselves.
class Classes {
 public:
  Classes() = default;

  /// `schema` has the names of its classes, or `names` has. Throws usage for names that are no numbers where the target
  /// has numbers.
  explicit Classes(const Schema& schema) : Classes(schema, schema.classes) {}
  Classes(const Schema& schema, std::vector<std::string> names);

  std::size_t count() const { return names_.size(); }  ///< 0: no classification
  const std::vector<std::string>& names() const { return names_; }

  /// The class of a target that is not missing; none for a word or number that is no class.
  std::optional<std::uint32_t> class_of(double target) const;

 private:
  struct Value {
    double value;
    std::uint32_t number;
  };

  std::vector<std::string> names_;
  std::vector<std::optional<std::uint32_t>> of_code_;  ///< by level of a target of words
  std::vector<Value> of_value_;                        ///< of a target of numbers, ascending
};

/// How many rows have which target, ascending; at most `most_classes` + 1 targets are told apart.
class TargetCounts {
 public:
  /// Rows of weight 0 and missing targets do not count.
  void add(MatrixView targets, std::span<const double> weights);
  const std::vector<std::pair<double, std::size_t>>& rows_of_value() const { return rows_; }

 private:
  std::vector<std::pair<double, std::size_t>> rows_;
};

/// The classes of training rows: those that the schema gives, or those that the rows have, numbers by size and words by
/// their bytes. `rows_of_value` has the targets that rows have, ascending, with the number of rows; it is not looked at
/// for counts. Throws data for fewer than 2 or more than `most_classes` classes and for rows of no given class; where
/// nobody asked for a classification, also for words that look like numbers or times or hardly repeat.
Classes classes_of_rows(const Schema& schema, const std::vector<std::pair<double, std::size_t>>& rows_of_value);

/// Counts [N x C] become shares of their row, which weighs as much as their sum: `weights` [N] are multiplied by it.
/// `place(row, col)` names a count. Throws data where one is negative or all of a row are 0; missing ones stay.
void counts_to_shares(Matrix& counts, std::span<double> weights,
                      const std::function<std::string(std::size_t, std::size_t)>& place);

/// Throws data, with the row, where a target is no class.
void check_classes(const Classes& classes, MatrixView targets, std::size_t first_row);

}  // namespace credens::data
