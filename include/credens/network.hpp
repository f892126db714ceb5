// SPDX-License-Identifier: Apache-2.0
//
// The kinds of network a member can be.

#pragma once

namespace credens {

enum class Activation { relu, tanh, silu, gelu, elu };

enum class NoiseKind {
  shared,      ///< one variance s^2(x) for all outputs: the paper's
  per_output,  ///< one variance s_k^2(x) per output
  constant,    ///< one number per output
  known,       ///< given with the data, nothing learned
};

/// From the noise head's raw value to a variance; both add the floor.
enum class NoiseLink { softplus, exp };

}  // namespace credens
