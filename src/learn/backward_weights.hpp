// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "base/aligned.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// A network's weights once more, transposed for the way back. Adam changes both alike.
class BackwardWeights {
 public:
  explicit BackwardWeights(const model::Mlp& network) {
    for (std::size_t i = 1; i < network.shape().layers(); ++i) {
      const math::PanelShape panel = network.shape().layer(i);
      layers_.emplace_back(panel.transposed_size());
      math::transpose_panels(network.layer(i), panel, layers_.back().data());
    }
  }

  /// Null for the first layer, below which no gradient is needed.
  float* layer(std::size_t index) { return index == 0 ? nullptr : layers_[index - 1].data(); }
  const float* layer(std::size_t index) const { return index == 0 ? nullptr : layers_[index - 1].data(); }

 private:
  std::vector<base::AlignedVector<float>> layers_;
};

}  // namespace credens::learn
