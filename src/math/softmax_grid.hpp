// SPDX-License-Identifier: Apache-2.0
//
// Nodes of the integrals in softmax_normal.hpp, and the sums over them, which are kernels.
//
// Letters: C classes, z logits, m = log sum_c exp(z_c), e the variance of the noise on each logit, v = softmax(z), h
// the step of t, J nodes t_j, u the values of a discrete noise with weights w in place of sqrt(e) xi.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/aligned.hpp"

namespace credens::math {

/// A value u of the discrete noise. Point j + offset is where node t_j, moved by -u, lies.
struct NoiseTap {
  std::size_t offset;
  double weight;  ///< w
  double tilted;  ///< w e^u
};

/// Nodes and points for an interval of variances.
///
/// Points lie in rows. The points of a row are h apart, and h = k log(2) / 8 with a whole number k, so that rates of
/// neighbours 8 points apart differ by the factor 2^k.
struct SoftmaxLevel {
  double largest_variance = 0;
  int doublings = 0;                            ///< k
  double step = 0;                              ///< h
  double first = 0;                             ///< t_0 - m
  std::size_t nodes = 0;                        ///< J, a multiple of 8
  std::size_t row = 0;                          ///< points of a row, a multiple of 8
  std::size_t small = 0;                        ///< point of a row from which on rates are at most 1 / 16
  std::vector<std::size_t> offset = {};         ///< of the taps
  std::vector<double> noise = {};               ///< u of the taps; in units of sqrt(e) where `weight` is given
  std::vector<double> growth = {};              ///< e^u
  std::vector<double> weight = {};              ///< of the taps, where it does not depend on the variance; else none
  base::AlignedVector<double> node_rate = {};   ///< exp(m - t_j) [J + 1]
  base::AlignedVector<double> point_rate = {};  ///< exp(m - t) [rows]; of one row for u = 0 where `weight` is given
  double gumbel_sum = 0;                        ///< sum_j exp(-exp(m - t_j))
  double least_base = 0;                        ///< raised to 2^k it is 1e-300
};

/// Nodes and noise for one variance, 0.0003 <= e <= 10.
///
/// Points are where exp(-exp(z - t)) is computed. Where e is small, 3 to 5 Gauss-Hermite values u are enough and each
/// has a row of its own. Else u are multiples of h or of h / 2, so that the nodes moved by all u share one row or two,
/// and F(t_j - z) is a convolution.
struct SoftmaxGrid {
  const SoftmaxLevel* level = nullptr;
  std::vector<NoiseTap> taps;
  double growth[4] = {};               ///< E e^(n u)
  std::span<const double> point_rate;  ///< exp(m - t) [rows]

  SoftmaxGrid() = default;
  SoftmaxGrid(const SoftmaxGrid&) = delete;  // points may be its own
  SoftmaxGrid& operator=(const SoftmaxGrid&) = delete;

  void set(double variance);

 private:
  void set_shared(double variance);
  void set_apart(double variance);
  void set_tap(std::size_t k, double weight, double tap_growth);

  std::vector<double> scratch_;
  base::AlignedVector<double> own_points_;
};

/// Sums over the nodes, with the room in which they are made. P = prod_k F(t_j - z_k), L_c = F' / F at t_j - z_c.
struct SoftmaxSums {
  std::vector<double> first;   ///< h sum_j P L_c [C]
  std::vector<double> spread;  ///< h sum_j P L_c sum_{k != c} L_k [C]
  double log_sum = 0;          ///< h sum_j exp(-exp(m - t_j)) - P

  /// How many classes' rows of points are held at a time.
  static constexpr std::size_t classes_at_once = 16;

  base::AlignedVector<double> gumbel;   ///< exp(-exp(z_c - t)) of some classes [points each]
  base::AlignedVector<double> slope;    ///< L [C x J]
  base::AlignedVector<double> product;  ///< P [J]
  base::AlignedVector<double> slopes;   ///< sum_k L_k [J], then P times that
};

/// `share` [C] = softmax(z).
void sum_over_nodes(const SoftmaxGrid& grid, std::span<const double> share, SoftmaxSums& sums);

/// x becomes e^x, x <= 700; 0 below -708.
void exponentials(std::span<double> values);

/// p = softmax(z); returns log sum_c exp(z_c).
double softmax_and_log_sum(std::span<const double> logits, std::span<double> probability);

}  // namespace credens::math
