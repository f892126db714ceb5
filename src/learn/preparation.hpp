// SPDX-License-Identifier: Apache-2.0
//
// From a table to the rows that every member of a fit sees: scaled, and parted into training and validation.

#pragma once

#include <credens/fit.hpp>

#include <optional>
#include <vector>

#include "learn/training_set.hpp"

namespace credens::learn {

struct Preparation {
  TrainingSet train;
  std::optional<TrainingSet> validation;
};

/// Warns of constant columns and of known noise below the floor. `options` have passed `check`.
Preparation prepare(const TrainingRows& train, const FitOptions& options);

/// (training, validation) rows, each ascending: the same for every member. At least one row on either side; rows >= 2.
struct RowParts {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
};

RowParts part_rows(std::size_t rows, double validation_fraction, std::uint64_t seed);

}  // namespace credens::learn
