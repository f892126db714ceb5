// SPDX-License-Identifier: Apache-2.0
//
// Grades, counts and readings of a coarse scale take few values, and a density has no measure of them: a member that is
// narrow and happens to say one of the values exactly is worth any number of wrong ones, and noise, tails and weights
// that are best for such rows describe the scale, not the errors.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learn/held_out.hpp"

namespace credens::learn {

/// The step of the scale that an output's targets were rounded to, in network units: the median distance between
/// neighbouring values. None where values hardly repeat, where rounding (a variance of step^2 / 12) is nothing beside
/// the errors, and where the best configuration errs by less than half a step and so tells the values apart.
std::optional<double> rounding_step(const HeldOut& held_out, std::size_t output);

/// Adds to rounded targets what rounding may have taken: a random number from -1/2 to 1/2 of the step. Returns the
/// steps, one per output.
std::vector<std::optional<double>> undo_rounding(HeldOut& held_out, std::uint64_t seed);

}  // namespace credens::learn
