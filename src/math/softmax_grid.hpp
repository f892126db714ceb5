// SPDX-License-Identifier: Apache-2.0
//
// Nodes of the integrals in softmax_normal.hpp, and the sums over them, which are kernels.
//
// Letters: C classes, z logits, m = log sum_c exp(z_c), e the variance of the noise on each logit, v = softmax(z), h the
// step of t, J nodes t_j, u the values of a discrete noise with weights w in place of sqrt(e) xi.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/aligned.hpp"

namespace credens::math {

/// A node of Gauss-Hermite quadrature for the standard normal.
struct HermiteNode {
  double value;
  double weight;
};

/// A value u of the discrete noise. Point j + offset is where node t_j, moved by -u, lies.
struct NoiseTap {
  std::size_t offset;
  double weight[3];  ///< w, w e^u, w e^2u
};

/// Nodes and noise for one variance, 0.001 <= e <= 10.
///
/// Points are where exp(-exp(z - t)) is computed. If e is large, u is a multiple of h, so that the nodes moved by
/// all u share one row of points and F(t_j - z) is a convolution. If e is small, 3 or 4 Gauss-Hermite nodes u are
/// enough and each has a row of its own.
struct SoftmaxGrid {
  static constexpr std::size_t block = 8;  ///< doubles in the widest vector; numbers of nodes and points are multiples

  double step = 0;             ///< h
  std::size_t nodes = 0;       ///< J
  std::size_t rows = 0;        ///< of points
  std::size_t row_points = 0;  ///< points of a row
  std::vector<NoiseTap> taps;
  base::AlignedVector<double> node_rate;   ///< exp(m - t_j) [J + block]
  base::AlignedVector<double> point_rate;  ///< exp(m - t) [rows x row_points]
  double moment[5];                        ///< E e^nu, n = 0 .. 4
  double least_rate;  ///< v_c exp(m - t) below which F is 1 - E a + E a^2 / 2 - E a^3 / 6, a = v_c exp(m - t + u)

  void set(double variance);

 private:
  void set_nodes(double variance, double widest);
  void set_rows(double variance, std::span<const HermiteNode> noise);
  void set_row(double variance);
  void set_moments();

  std::vector<double> weight_;
};

/// Sums over the nodes, with the room in which they are made.
struct SoftmaxSums {
  std::vector<double> first;   ///< h sum_j F'(t_j - z_c) prod_{k != c} F(t_j - z_k) [C]
  std::vector<double> second;  ///< F' + F'' in place of F' [C]
  double log_sum = 0;          ///< h sum_j exp(-exp(m - t_j)) - prod_k F(t_j - z_k)

  base::AlignedVector<double> gumbel;   ///< exp(-exp(z_c - t)) of one class [points]
  base::AlignedVector<double> ratio;    ///< F' / F and (F' + F'') / F [C x 2 x J]
  base::AlignedVector<double> product;  ///< prod_k F [J]
};

/// `share` [C] = softmax(z).
void sum_over_nodes(const SoftmaxGrid& grid, std::span<const double> share, SoftmaxSums& sums);

/// values[i] = exp(start + step i); their number is a multiple of 8.
void geometric(double start, double step, base::AlignedVector<double>& values);

/// x becomes e^x, x <= 700; 0 below -708.
void exponentials(std::span<double> values);

/// p = softmax(z); returns log sum_c exp(z_c).
double softmax_and_log_sum(std::span<const double> logits, std::span<double> probability);

}  // namespace credens::math
