// SPDX-License-Identifier: Apache-2.0

#include "unit/math/plain_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace credens::math::plain {
namespace {

struct Activated {
  double value;
  double slope;
};

double logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

Activated silu(double x) {
  const double s = logistic(x);
  return {x * s, s * (1.0 + x * logistic(-x))};
}

Activated gelu(double x) {
  const double distribution = 0.5 * std::erfc(-x / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return {x * distribution, distribution + x * density};
}

Activated activated(Activation activation, double x) {
  switch (activation) {
    case Activation::relu:
      return {x < 0.0 ? 0.0 : x, x > 0.0 ? 1.0 : 0.0};
    case Activation::tanh:
      return {std::tanh(x), 1.0 / (std::cosh(x) * std::cosh(x))};
    case Activation::silu:
      return silu(x);
    case Activation::gelu:
      return gelu(x);
    case Activation::elu:
      return {x > 0.0 ? x : std::expm1(x), x > 0.0 ? 1.0 : std::exp(x)};
  }
  return {x, 1.0};
}

/// sum f', where f' follows from y = f(x) or from the slope kept beside it.
float times_slope(float sum, Activation activation, float y, const float* slope, std::size_t at) {
  switch (activation) {
    case Activation::relu:
      return y > 0.0F ? sum : 0.0F;
    case Activation::tanh:
      return sum * std::fma(-y, y, 1.0F);
    case Activation::elu:
      return sum * (y > 0.0F ? 1.0F : y + 1.0F);
    case Activation::silu:
    case Activation::gelu:
      return sum * slope[at];
  }
  return sum;
}

std::size_t transposed_index(PanelShape shape, std::size_t input, std::size_t output) {
  return (input / panel_width * shape.out + output) * panel_width + input % panel_width;
}

/// Stores the moments of parameter i and returns sqrt(v) root_scale + epsilon.
float update_moments(const AdamStep& step, float g, float& m, float& v) {
  m = std::fma(step.beta1, m, (1.0F - step.beta1) * g);
  v = std::fma(step.beta2, v, (1.0F - step.beta2) * g * g);
  return std::fma(std::sqrt(v), step.root_scale, step.epsilon);
}

Activated linked(NoiseLink link, double raw) {
  if (link == NoiseLink::softplus) {
    return {std::fmax(raw, 0.0) + std::log1p(std::exp(-std::abs(raw))), logistic(raw)};
  }
  const double bound = noise_exp_bound;
  const double value = std::exp(std::fmin(std::fmax(raw, -bound), bound));
  return {value, raw < -bound ? 0.0 : value};
}

}  // namespace

void dense_forward(const float* x, std::size_t x_stride, std::size_t rows, const float* panels, PanelShape shape,
                   const Activation* activation, float* y, std::size_t y_stride, float* slope) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t o = 0; o < padded(shape.out); ++o) {
      float sum = o < shape.out ? panels[shape.index(shape.in, o)] : 0.0F;
      for (std::size_t i = 0; i < shape.in && o < shape.out; ++i) {
        sum = std::fma(x[row * x_stride + i], panels[shape.index(i, o)], sum);
      }
      const Activated result = activation != nullptr ? activated(*activation, sum) : Activated{sum, 1.0};
      y[row * y_stride + o] = static_cast<float>(result.value);
      if (slope != nullptr) slope[row * y_stride + o] = o < shape.out ? static_cast<float>(result.slope) : 0.0F;
    }
  }
}

void transpose_panels(const float* panels, PanelShape shape, float* transposed) {
  for (std::size_t i = 0; i < padded(shape.in); ++i) {
    for (std::size_t o = 0; o < shape.out; ++o) {
      transposed[transposed_index(shape, i, o)] = i < shape.in ? panels[shape.index(i, o)] : 0.0F;
    }
  }
}

void dense_backward_input(const float* dy, std::size_t dy_stride, std::size_t rows, const float* transposed,
                          PanelShape shape, const Activation* activation, const float* x, const float* slope, float* dx,
                          std::size_t dx_stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < padded(shape.in); ++i) {
      const std::size_t at = row * dx_stride + i;
      float sum = 0.0F;
      for (std::size_t o = 0; o < shape.out; ++o) {
        sum = std::fma(dy[row * dy_stride + o], transposed[transposed_index(shape, i, o)], sum);
      }
      if (i >= shape.in) sum = 0.0F;
      dx[at] = activation == nullptr ? sum : times_slope(sum, *activation, x[at], slope, at);
    }
  }
}

void dense_backward_weights(const float* x, std::size_t x_stride, const float* dy, std::size_t dy_stride,
                            std::size_t rows, PanelShape shape, float* gradient) {
  for (std::size_t i = 0; i <= shape.in; ++i) {
    for (std::size_t o = 0; o < padded(shape.out); ++o) {
      float sum = 0.0F;
      for (std::size_t row = 0; row < rows && o < shape.out; ++row) {
        sum = std::fma(i < shape.in ? x[row * x_stride + i] : 1.0F, dy[row * dy_stride + o], sum);
      }
      gradient[shape.index(i, o)] = sum;
    }
  }
}

void embed(const float* z, std::size_t z_stride, std::size_t rows, const float* c, EmbeddingShape shape, float* u,
           std::size_t u_stride) {
  for (std::size_t row = 0; row < rows; ++row, z += z_stride, u += u_stride) {
    std::fill(std::copy_n(z, shape.inputs, u), u + padded(shape.width()), 0.0F);
    for (std::size_t wave = 0; wave < shape.waves(); ++wave) {
      const double turns = static_cast<double>(c[wave]) * z[wave / shape.frequencies];
      const double part = std::abs(turns) >= most_turns ? 0.0 : std::remainder(turns, 1.0);
      u[shape.inputs + wave] = static_cast<float>(std::sin(2 * std::numbers::pi * part));
      u[shape.inputs + shape.waves() + wave] = static_cast<float>(std::cos(2 * std::numbers::pi * part));
    }
  }
}

void embed_backward(const float* u, std::size_t u_stride, const float* du, std::size_t du_stride, std::size_t rows,
                    EmbeddingShape shape, float* gradient) {
  for (std::size_t wave = 0; wave < shape.waves(); ++wave) {
    const std::size_t sine = shape.inputs + wave;
    const std::size_t cosine = sine + shape.waves();
    float sum = 0.0F;
    for (std::size_t row = 0; row < rows; ++row) {
      const float* values = u + row * u_stride;
      const float* slopes = du + row * du_stride;
      const float by_turns = std::fma(-values[sine], slopes[cosine], values[cosine] * slopes[sine]);
      sum = std::fma(values[wave / shape.frequencies], by_turns, sum);
    }
    gradient[wave] = sum * static_cast<float>(2 * std::numbers::pi);
  }
}

void adam(const AdamStep& step, std::size_t count, const float* gradient, float* theta, float* m, float* v) {
  for (std::size_t i = 0; i < count; ++i) {
    const float denominator = update_moments(step, std::fma(step.decay, theta[i], gradient[i]), m[i], v[i]);
    theta[i] = std::fma(-m[i], step.rate / denominator, theta[i]);
  }
}

void adam_layer(const AdamStep& step, PanelShape shape, const float* gradient, float* panels, float* m, float* v,
                float* transposed) {
  const auto denominator = [&](std::size_t i) {
    return update_moments(step, std::fma(step.decay, panels[i], gradient[i]), m[i], v[i]);
  };
  for (std::size_t output = 0; output < shape.out; ++output) {
    for (std::size_t row = 0; row < shape.in; row += 2) {
      const std::size_t a = shape.index(row, output);
      const std::size_t b = shape.index(row + 1, output);
      const float of_a = denominator(a);
      const float of_b = denominator(b);
      const float shared = step.rate / (of_a * of_b);
      panels[a] = std::fma(-m[a], of_b * shared, panels[a]);
      panels[b] = std::fma(-m[b], of_a * shared, panels[b]);
    }
    if (shape.in % 2 == 0) {
      const std::size_t last = shape.index(shape.in, output);
      plain::adam(step, 1, gradient + last, panels + last, m + last, v + last);
    }
  }
  if (transposed != nullptr) plain::transpose_panels(panels, shape, transposed);
}

void noise_variance(NoiseLink link, float floor, std::size_t count, const float* raw, float* variance, float* slope) {
  for (std::size_t i = 0; i < count; ++i) {
    const Activated result = linked(link, raw[i]);
    variance[i] = static_cast<float>(result.value + floor);
    slope[i] = static_cast<float>(result.slope);
  }
}

void gaussian_loss(std::size_t count, const GaussianLoss& rows) {
  for (std::size_t i = 0; i < count; ++i) {
    const double v = rows.variance[i];
    const double residual = static_cast<double>(rows.mean[i]) - rows.target[i];
    const double half = 0.5 * rows.scale[i];
    rows.loss[i] = static_cast<float>(half * (residual * residual / v + std::log(v)));
    rows.mean_slope[i] = static_cast<float>(rows.scale[i] * residual / v);
    rows.variance_slope[i] = static_cast<float>(half * (1 - residual * residual / v) / v);
  }
}

void gather_rows(const float* from, std::size_t cols, const std::uint32_t* order, std::size_t count, float* to,
                 std::size_t to_stride) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t col = 0; col < cols; ++col) to[i * to_stride + col] = from[order[i] * cols + col];
  }
}

}  // namespace credens::math::plain
