// SPDX-License-Identifier: Apache-2.0
//
// Probabilities of classes as a graph: the integrals of math/softmax_normal.hpp, with nodes that are as many for every
// variance, since all rows of a graph take the same steps.
//
// Letters: g members, n rows, C classes, z logits, e the variance of each logit, v = softmax(z + sqrt(e) xi).

#pragma once

#include <optional>

#include "store/onnx_graph.hpp"

namespace credens::store {

/// Moments of v for each member and row.
struct SoftmaxMoments {
  OnnxValue probability;              ///< E v [g, n, C]
  std::optional<OnnxValue> variance;  ///< of v [g, n, C]; none where e = 0
  OnnxValue entropy;                  ///< E H(v) [g, n, 1]
};

/// For z [g, n, C] and e [g, n, 1]; none: e = 0, and E v is softmax(z).
SoftmaxMoments softmax_moments(OnnxGraph& graph, const OnnxValue& logits, const std::optional<OnnxValue>& variance,
                               std::size_t members, std::size_t classes);

/// H(p) over the last axis, which stays with the size 1.
OnnxValue entropy(OnnxGraph& graph, const OnnxValue& probability);

}  // namespace credens::store
