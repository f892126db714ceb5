// SPDX-License-Identifier: Apache-2.0
//
// From a table to the rows that every member of a fit sees: scaled, and parted into training and validation.

#pragma once

#include <credens/fit.hpp>

#include <optional>
#include <vector>

#include "learn/training_data.hpp"

namespace credens::learn {

struct Preparation {
  TrainingSet train;
  std::optional<TrainingSet> validation;
  std::optional<Windowing> windowing = {};  ///< where there are more rows than a window holds

  TrainingData data() const { return TrainingData(train, windowing ? &*windowing : nullptr); }
};

/// Warns of constant columns and of known noise below the floor. `options` have passed `check`. Rows that are more than
/// a window holds stay where they are if options.memory says so; throws usage where they cannot be read there at any
/// place.
Preparation prepare(const TrainingRows& train, const FitOptions& options);

/// (training, validation) rows, each ascending: the same for every member. At least one row on either side; rows >= 2.
struct RowParts {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
};

RowParts part_rows(std::size_t rows, double validation_fraction, std::uint64_t seed);

/// The validation rows where there are more rows than a window holds: as many as a window holds at most, ascending.
std::vector<std::uint32_t> held_back_rows(const TrainingRows& train, const FitOptions& options);

/// Some rows of a source, in network units, with weights as if all were there.
struct SampledRows {
  std::vector<std::uint32_t> rows;  ///< ascending
  TrainingSet set;                  ///< of these rows; weight_total is that of all
};

/// By one pass over the source.
SampledRows sample(const TrainingRows& train, const FitOptions& options, std::vector<std::uint32_t> rows);

}  // namespace credens::learn
