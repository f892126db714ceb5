// SPDX-License-Identifier: Apache-2.0
//
// Which weights, known noise and cells rows may have, wherever they come from.

#pragma once

#include <credens/matrix.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::data {

/// How a sentence names a value: `data.csv:17:3 (s): the noise`.
using WeightName = std::function<std::string(std::size_t row)>;
using NoiseName = std::function<std::string(std::size_t row, std::size_t target)>;

/// Throws data unless all are finite and none is negative.
void check_weights(std::span<const double> weights, const WeightName& name);

/// Throws data unless the sum of all weights of `source`, which may be empty, is positive and finite.
void check_weight_total(double total, const std::string& source);

/// Throws data unless all standard deviations [N x q] are above 0 and their squares, the variances, normal doubles.
/// `target_scale` [q] is by what a model divides its targets, empty where there is no model: divided by it, noise must
/// stay below 1e150.
void check_noise(MatrixView noise_std, std::span<const double> target_scale, const NoiseName& name);

/// Complains of the earliest row with a cell that cannot be used, whichever part its column plays. Inputs and targets
/// may be missing, all else may not.
void check_cells(const Table& table, const Schema& schema);

}  // namespace credens::data
