// SPDX-License-Identifier: Apache-2.0
//
// Calibration rows as a model keeps them, so that it can promise intervals (credens/guarantee.hpp).

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace credens {

/// Calibration rows for which one promise holds.
struct PromiseGroup {
  std::string name;  ///< empty where all rows are one group
  /// [n x q]: the normal score Phi^-1(F(y)) of each observation under the predictive distribution F of its row.
  /// Infinite where F(y) is nearer to 0 or 1 than a double can say.
  Matrix scores;

  std::size_t rows() const { return scores.rows(); }
  bool operator==(const PromiseGroup&) const = default;
};

/// Groups are divided by the values of a column, or by the ignorance of rows, or not at all.
struct Promise {
  std::string column = {};           ///< its values are the names of the groups; empty: no column divides them
  std::vector<double> edges = {};    ///< of ignorance between one group and the next, ascending; empty: no division
  std::vector<PromiseGroup> groups;  ///< at least one

  /// Inputs [m x d] of training rows, and of calibration rows, by which new rows are judged (credens/trust.hpp): a
  /// random sample of each, in the units of the data, or none.
  Matrix training_inputs = {};
  Matrix calibration_inputs = {};

  bool judges_rows() const { return !training_inputs.empty(); }

  /// The group of rows with this value of the column; null where there is none.
  const PromiseGroup* find(std::string_view name) const;

  std::size_t rows() const {
    std::size_t rows = 0;
    for (const PromiseGroup& group : groups) rows += group.rows();
    return rows;
  }
  bool operator==(const Promise&) const = default;
};

inline const PromiseGroup* Promise::find(std::string_view name) const {
  for (const PromiseGroup& group : groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

}  // namespace credens
