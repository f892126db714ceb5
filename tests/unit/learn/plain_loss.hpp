// SPDX-License-Identifier: Apache-2.0
//
// The loss and its gradient as plain loops in double: the oracle of the fast path, written to be read beside the paper.
//
// Letters: row i, output k, weight u_i, mean m, target y, variance v = f(raw) + floor + known. MAP loss over rows with
// weights of sum U:
//   (1 / U) (sum_i u_i l_i + lambda / 2 |theta|^2),  l_i = 1/2 sum_k [(y_ik - m_ik)^2 / v_ik + log v_ik].

#pragma once

#include <credens/matrix.hpp>

#include <span>
#include <vector>

#include "model/mlp.hpp"

namespace credens::learn {

struct PlainNetwork {
  model::MlpShape shape;
  std::vector<Matrix> weight;             ///< per layer [out x in]; the last is the head: q means, then noise
  std::vector<std::vector<double>> bias;  ///< per layer [out]
  std::vector<double> constant_noise;     ///< q raw values for constant noise, else none
  Matrix frequencies = {};                ///< c [d x k]: layer 0 sees [z, sin 2 pi c z, cos 2 pi c z]; or empty
};

PlainNetwork plain_network(const model::Mlp& network);

struct PlainRows {
  MatrixView inputs;                ///< [n x d] scaled
  MatrixView targets;               ///< [n x q] scaled
  MatrixView known_variance;        ///< [n x q] or empty
  std::span<const double> weights;  ///< n or none
};

/// `prior_precision` = lambda; the prior covers weights and biases, not constant noise and frequencies.
double plain_loss(const PlainNetwork& network, const PlainRows& rows, double prior_precision);
PlainNetwork plain_gradient(const PlainNetwork& network, const PlainRows& rows, double prior_precision);

}  // namespace credens::learn
