// SPDX-License-Identifier: Apache-2.0
//
// Rows of a table, whole or a block of it, as the parts of a dataset. Sentences name the place in the file.

#pragma once

#include <credens/dataset.hpp>

#include <span>

#include "data/schema.hpp"

namespace credens::data {

/// The columns of `schema`, whose positions are those of `table`: targets where they have positions, weights and noise
/// where there are some. Bad values throw data; `target_scale` as that of check_noise.
void take_rows(const Table& table, const Schema& schema, std::span<const double> target_scale, DatasetParts& parts);

/// Inputs, targets, weights and noise as `options` assign them; contradictions throw usage, bad values data.
Dataset make_dataset(const Table& table, const DatasetOptions& options);

}  // namespace credens::data
