// SPDX-License-Identifier: Apache-2.0
//
// The plain loops behind kernels.hpp: same signatures, same sums in the same order, no layout tricks, no vectors. They
// say what the kernels compute and are the oracle of their tests: products, slopes taken from y and Adam agree bit for
// bit with every target that fuses multiply-adds; functions made of exp, sine and cosine are computed in
// double here and agree to a few 1e-7.

#pragma once

#include "math/kernels.hpp"

namespace credens::math::plain {

void dense_forward(const float* x, std::size_t x_stride, std::size_t rows, const float* panels, PanelShape shape,
                   const Activation* activation, float* y, std::size_t y_stride, float* slope);

void transpose_panels(const float* panels, PanelShape shape, float* transposed);

void dense_backward_input(const float* dy, std::size_t dy_stride, std::size_t rows, const float* transposed,
                          PanelShape shape, const Activation* activation, const float* x, const float* slope, float* dx,
                          std::size_t dx_stride);

void dense_backward_weights(const float* x, std::size_t x_stride, const float* dy, std::size_t dy_stride,
                            std::size_t rows, PanelShape shape, float* gradient);

void embed(const float* z, std::size_t z_stride, std::size_t rows, const float* c, EmbeddingShape shape, float* u,
           std::size_t u_stride);
void embed_backward(const float* u, std::size_t u_stride, const float* du, std::size_t du_stride, std::size_t rows,
                    EmbeddingShape shape, float* gradient);

void adam(const AdamStep& step, std::size_t count, const float* gradient, float* theta, float* m, float* v);
void adam_layer(const AdamStep& step, PanelShape shape, const float* gradient, float* panels, float* m, float* v,
                float* transposed);

void noise_variance(NoiseLink link, float floor, std::size_t count, const float* raw, float* variance, float* slope);

void gaussian_loss(std::size_t count, const GaussianLoss& rows);

void gather_rows(const float* from, std::size_t cols, const std::uint32_t* order, std::size_t count, float* to,
                 std::size_t to_stride);

}  // namespace credens::math::plain
