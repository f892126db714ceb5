// SPDX-License-Identifier: Apache-2.0
//
// Models of classes whose inputs are the logits and the standard deviation of their noise, so that what is compared is
// the average of the softmax alone.
//
// Letters: C classes, z [C] logits, s the standard deviation.

#pragma once

#include <cstddef>
#include <string>

#include "base/random.hpp"
#include "model/ensemble_state.hpp"

namespace credens::test {

/// Makes it a classification with the classes 0, 1, ....
void add_classes(model::EnsembleState& state, std::size_t count);

/// Of inputs z and s: logits z with the variance s^2.
model::EnsembleState state_of_given_logits(std::size_t classes);

/// A table of equal, near, far and huge logits with variances from 0 to 1e30.
std::string rows_of_given_logits(std::size_t classes, base::RandomStream& random);

}  // namespace credens::test
