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
    layers_.resize(network.shape().layers());
    for (std::size_t i = network.shape().frequencies > 0 ? 0 : 1; i < layers_.size(); ++i) {
      const math::PanelShape panel = network.shape().layer(i);
      layers_[i].resize(panel.transposed_size());
      math::transpose_panels(network.layer(i), panel, layers_[i].data());
    }
  }

  /// Null for a first layer without embedding, below which no gradient is needed.
  float* layer(std::size_t index) { return layers_[index].empty() ? nullptr : layers_[index].data(); }
  const float* layer(std::size_t index) const { return layers_[index].empty() ? nullptr : layers_[index].data(); }

 private:
  std::vector<base::AlignedVector<float>> layers_;
};

}  // namespace credens::learn
