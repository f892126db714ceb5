// SPDX-License-Identifier: Apache-2.0
//
// The compute seam: everything a network's forward and backward pass spends time in. Written once with Highway, chosen
// at run time.
//
// Layout. A dense layer's parameters lie in panels of 16 outputs: value (panel j, row i, lane t) is the weight from
// input i to output 16 j + t, at (j (in + 1) + i) 16 + t; row i = in holds the bias. Lanes past the last output are
// zero and stay zero. Activations are row-major; leading dimensions are multiples of 16, pad columns are zero. All
// pointers are 64-byte aligned.
//
// Bits. Each output element is a sequential sum over the inner dimension, fused multiply-add by fused multiply-add, in
// the same order for every tile shape and target, so that all FMA targets, and the one-row and the block path, agree
// exactly. Sums start at the bias in dense_forward and at zero elsewhere. Targets without FMA (SSE4, the fallback)
// round twice and agree among themselves. The oracle of the tests is the plain loops in
// tests/unit/math/plain_kernels.hpp.

#pragma once

#include <credens/network.hpp>

#include <cstddef>
#include <cstdint>

namespace credens::math {

constexpr std::size_t panel_width = 16;

/// `count` rounded up to whole panels.
constexpr std::size_t padded(std::size_t count) {
  return (count + panel_width - 1) / panel_width * panel_width;
}

/// A leading dimension for rows of `count` columns: an odd number of panels, so that the rows of a column do not share
/// one cache set. With even ones dense_backward_weights loses up to 15 %.
constexpr std::size_t row_stride(std::size_t count) {
  return (padded(count) / panel_width | 1) * panel_width;
}

struct PanelShape {
  std::size_t in = 0;
  std::size_t out = 0;

  constexpr std::size_t size() const { return padded(out) * (in + 1); }       ///< floats with bias
  constexpr std::size_t transposed_size() const { return padded(in) * out; }  ///< floats of transpose_panels
  constexpr std::size_t index(std::size_t input, std::size_t output) const {  ///< of a weight; input = in: the bias
    return ((output / panel_width) * (in + 1) + input) * panel_width + output % panel_width;
  }
};

/// y[rows x out] = f(x[rows x in] W + b), pads of y zero. f = identity if `activation` is null. `slope`, if not null,
/// receives f' (same layout as y, null without activation); relu, tanh and elu need none because theirs follows from y.
/// gelu is x Phi(x), elu has alpha 1. Columns from padded(out) on are not touched.
void dense_forward(const float* x, std::size_t x_stride, std::size_t rows, const float* panels, PanelShape shape,
                   const Activation* activation, float* y, std::size_t y_stride, float* slope);

/// Whether dense_forward must be given a slope buffer for dense_backward_input to work: silu and gelu.
constexpr bool needs_slope(Activation activation) {
  return activation == Activation::silu || activation == Activation::gelu;
}

/// The weights without bias in panels of 16 inputs, [ceil(in/16)][out][16], for dense_backward_input.
void transpose_panels(const float* panels, PanelShape shape, float* transposed);

/// dx[rows x in] = (dy[rows x out] W^T) * f'(layer below), pads zero. `activation` is that of the layer that made x,
/// null for the identity; `x` are its outputs, `slope` its slopes (null unless needs_slope), both with dx's layout.
void dense_backward_input(const float* dy, std::size_t dy_stride, std::size_t rows, const float* transposed,
                          PanelShape shape, const Activation* activation, const float* x, const float* slope, float* dx,
                          std::size_t dx_stride);

/// gradient (panel layout, bias row included) = x^T dy; overwrites.
void dense_backward_weights(const float* x, std::size_t x_stride, const float* dy, std::size_t dy_stride,
                            std::size_t rows, PanelShape shape, float* gradient);

/// d inputs and for each of them k waves, whose frequencies c [d x k] are row-major and need no alignment.
struct EmbeddingShape {
  std::size_t inputs = 0;
  std::size_t frequencies = 0;  ///< k

  constexpr std::size_t waves() const { return inputs * frequencies; }
  constexpr std::size_t width() const { return inputs + 2 * waves(); }
};

/// |c z| from which a float no longer tells parts of a turn well enough: sine 0, cosine 1.
constexpr float most_turns = 1048576.0F;

/// u[rows x width] = [z, sin(2 pi c z), cos(2 pi c z)], waves in the order of c, pads of u zero. Absolute errors of a
/// few 1e-7 where multiply-adds are fused, otherwise those of c z in float; finite for finite z and c.
void embed(const float* z, std::size_t z_stride, std::size_t rows, const float* c, EmbeddingShape shape, float* u,
           std::size_t u_stride);

/// gradient[d x k] = 2 pi sum over rows of z (cos dL/dsin - sin dL/dcos), from u and du = dL/du; overwrites.
void embed_backward(const float* u, std::size_t u_stride, const float* du, std::size_t du_stride, std::size_t rows,
                    EmbeddingShape shape, float* gradient);

struct AdamStep {
  float rate;        ///< learning rate / (1 - beta1^t)
  float root_scale;  ///< 1 / sqrt(1 - beta2^t)
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
  float decay;  ///< lambda / N: added to the gradient times the parameter (the prior)
};

/// g += decay theta; m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; theta -= rate m / (sqrt(v) root_scale + epsilon).
void adam(const AdamStep& step, std::size_t count, const float* gradient, float* theta, float* m, float* v);

/// adam for a layer's panels, where rows 2 k and 2 k + 1 share divisions. Also updates the weights that
/// transpose_panels made of them, unless `transposed` is null.
void adam_layer(const AdamStep& step, PanelShape shape, const float* gradient, float* panels, float* m, float* v,
                float* transposed);

/// |raw| from which exp as a noise link is constant.
constexpr float noise_exp_bound = 30.0F;

/// variance = f(raw) + floor and slope = f'(raw) for softplus or exp. exp clamps raw to [-30, 30], slope 0 below, e^30
/// above.
void noise_variance(NoiseLink link, float floor, std::size_t count, const float* raw, float* variance, float* slope);

/// The Gaussian loss scale [(m - y)^2 / v + log v] / 2 of `count` targets y with means m and variances v > 0, and its
/// derivatives by m and v. Not finite where a mean or variance is not. Arrays reach to a multiple of 16; what lies past
/// `count` is read and overwritten.
struct GaussianLoss {
  const float* mean;
  const float* target;
  const float* variance;
  const float* scale;
  float* loss;
  float* mean_slope;
  float* variance_slope;
};
void gaussian_loss(std::size_t count, const GaussianLoss& rows);

/// e^x of `count` values, at most 88, in their place. The array reaches to a multiple of 16; what lies past `count` is
/// read and overwritten.
void exponentials(std::size_t count, float* values);

/// Copies rows `order[0..count)` of a row-major matrix, `cols` floats each (a multiple of 16), to rows `to_stride`
/// apart.
void gather_rows(const float* from, std::size_t cols, const std::uint32_t* order, std::size_t count, float* to,
                 std::size_t to_stride);

/// z = (x - shift) / scale of the columns of a row, of which |z| is to be at most `limit`.
struct RowScale {
  const double* shift;
  const double* scale;
  double limit;
};

/// Scales in double and rounds to float; pads up to `out_stride` are zero. False, with `out` unfinished, where a |z| is
/// beyond the limit or NaN.
bool scale_rows(const RowScale& scale, const double* values, std::size_t values_stride, std::size_t rows,
                std::size_t cols, float* out, std::size_t out_stride);

/// Name of the instruction set in use, e.g. "AVX2".
const char* kernel_target();

}  // namespace credens::math
