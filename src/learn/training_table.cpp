// SPDX-License-Identifier: Apache-2.0

#include "learn/training_table.hpp"

namespace credens::learn {

Scaling TrainingTable::scaling(bool standardise_inputs, bool asinh_inputs) const {
  const std::vector<std::string> labels = data::labels_of(schema().inputs);
  Scaling scaling{.inputs = data::identity_scaler(inputs()),
                  .targets = summary_.targets.scaler(data::labels_of(schema().targets))};
  if (standardise_inputs) {
    scaling.inputs =
        asinh_inputs ? data::asinh_scaler(summary_.sample, summary_.inputs, labels) : summary_.inputs.scaler(labels);
  }
  return scaling;
}

}  // namespace credens::learn
