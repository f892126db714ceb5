// SPDX-License-Identifier: Apache-2.0
//
// The rows of a fit in network units as its threads see them: in memory, or where they can be read again.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "data/row_source.hpp"
#include "learn/training_set.hpp"
#include "learn/windows.hpp"

namespace credens::learn {

/// Rows that stay where they are, and what makes network units of them.
struct StoredRows {
  const data::RowSource& source;  ///< whose rows can be read at any place
  RowScaler scaler;
};

/// What there is to know of rows that are more than a window holds. Rows are counted as in the source.
struct Windowing {
  Windows windows;
  std::vector<std::uint32_t> held_back = {};      ///< of validation, ascending: no member is trained on them
  double divergence_limit = 0;                    ///< learn/divergence.hpp
  std::shared_ptr<const StoredRows> stored = {};  ///< null: all rows are in memory
};

/// A view: what it is made of must live as long.
struct TrainingData {
  TrainingData(const TrainingSet& rows, const Windowing* cut = nullptr) : set(rows), windowing(cut) {}

  const TrainingSet& set;      ///< of rows that are stored elsewhere only the numbers
  const Windowing* windowing;  ///< null: one window holds them all
};

}  // namespace credens::learn
