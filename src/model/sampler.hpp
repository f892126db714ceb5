// SPDX-License-Identifier: Apache-2.0
//
// Draws from the regression function and from observations (paper, Algorithm 2).

#pragma once

#include <credens/ensemble.hpp>

#include "model/member_source.hpp"

namespace credens::model {

/// Rows that a thread takes at a time: enough that making the weights of a draw costs little beside using them.
constexpr std::size_t sampled_rows = 1024;

/// Draw j: 1. a member l by weight; 2. weights W_l + dW with rows dW_k ~ N(0, Sigma_lk); 3. the function (W + dW) phi
/// at every row;
/// 4. for observations, noise of the member's variance. A draw depends on the seed, its own number and the rows'
/// numbers alone, which begin with `first_row`: some rows at a time give what all at once do.
Samples draw_samples(const EnsembleState& state, const MemberSource& rows, const SampleOptions& options,
                     std::size_t first_row = 0);

}  // namespace credens::model
