// SPDX-License-Identifier: Apache-2.0
//
// The seam between where member outputs come from (networks or arrays) and what is made of them (moments, draws,
// covariances).

#pragma once

#include <credens/matrix.hpp>
#include <credens/member_outputs.hpp>
#include <credens/output_rows.hpp>

#include <functional>
#include <vector>

#include "model/ensemble_state.hpp"
#include "model/network_pass.hpp"

namespace credens::model {

/// Known noise by the scale of its target; the square is still finite.
constexpr double largest_scaled_noise = 1e150;

/// Rows whose member outputs can be asked for block by block, in any order and by several threads at once. A row's
/// values never depend on the block it is asked for with.
struct MemberRows {
  std::size_t rows = 0;
  std::function<std::vector<MemberBlock>(std::size_t first, std::size_t count)> block;
};

/// The networks at `inputs` [N x d] with known noise `noise_std` [N x q] or empty, both in data units and finite; the
/// views must outlive the result. Throws data for wrong shapes and values, usage for a model without networks.
MemberRows rows_of_networks(const EnsembleState& state, MatrixView inputs, MatrixView noise_std);

/// The arrays of an ensemble of the same members, which must outlive the result. Throws data where they do not fit.
MemberRows rows_of_arrays(const EnsembleState& state, const OutputRows& rows);
MemberRows rows_of_arrays(const EnsembleState& state, const MemberOutputs& outputs);

/// Throws data unless members, features, outputs and units are those of the model.
void check_fit(const EnsembleState& state, const MemberOutputs& outputs);

/// Throws data for wrong shapes and unusable noise, usage for a model without networks.
void check_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std);

/// Throws usage for a model made from arrays.
void require_networks(const EnsembleState& state);

/// Throws usage if the model was trained with known noise and none is given.
void require_known_noise(const EnsembleState& state, std::size_t rows, MatrixView noise_std);

/// Makes room for `rows` rows; those that are there stay.
void resize_components(const EnsembleState& state, std::size_t rows, MixtureComponents& components);

/// Writes a block's components, in data units, to the rows from `first` on.
void write_components(const EnsembleState& state, const std::vector<MemberBlock>& members, std::size_t first,
                      MixtureComponents& components);

/// The same for rows in the units of the data, one member after the other while its outputs are in the cache.
void write_components(const EnsembleState& state, NetworkPass& pass, MatrixView inputs, MatrixView noise_std,
                      std::size_t first, MixtureComponents& components);

/// The predictive distribution at all rows, computed by `threads` threads.
Predictive predictive_of(const EnsembleState& state, const MemberRows& rows, int threads);
Predictive predictive_of(const EnsembleState& state, MatrixView inputs, MatrixView noise_std, int threads);

}  // namespace credens::model
