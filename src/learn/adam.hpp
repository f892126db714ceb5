// SPDX-License-Identifier: Apache-2.0
//
// Adam (Kingma and Ba 2015) with bias correction, constants 0.9, 0.999, 1e-8; the prior enters through the gradient.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

/// A network's weights once more, transposed for the way back. Adam changes both alike.
class BackwardWeights {
 public:
  explicit BackwardWeights(const model::Mlp& network) {
    layers_.resize(network.shape().layers());
    for (std::size_t i = network.shape().enters_as_is() ? 1 : 0; i < layers_.size(); ++i) {
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

/// The precision of the prior over the weight of all rows, by layer.
struct Decay {
  double hidden = 0;
  double head = 0;
};

/// The moments of one network's parameters.
class Adam {
 public:
  explicit Adam(std::size_t parameters) : first_(parameters), second_(parameters) {}

  /// One step. The decay pulls on what the prior covers: all parameters but those of constant noise and frequencies.
  /// Tables of words have the prior of the hidden layers.
  void step(double rate, const Decay& decay, std::span<const float> gradient, model::Mlp& network,
            BackwardWeights& transposed);

 private:
  base::AlignedVector<float> first_;
  base::AlignedVector<float> second_;
  double beta1_power_ = 1;  ///< beta1^t
  double beta2_power_ = 1;
};

}  // namespace credens::learn
