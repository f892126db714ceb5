// SPDX-License-Identifier: Apache-2.0
//
// The products of a dense layer against their plain loops, on every target and at every kind of remainder.

#include "math/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/aligned.hpp"
#include "base/random.hpp"
#include "unit/math/each_target.hpp"
#include "unit/math/plain_kernels.hpp"

namespace credens::math {
namespace {

using Floats = base::AlignedVector<float>;

constexpr float untouched = -77.0F;
constexpr Activation all_activations[] = {Activation::relu, Activation::tanh, Activation::silu, Activation::gelu,
                                          Activation::elu};
constexpr std::size_t all_in[] = {1, 2, 6, 7, 8, 15, 16, 17, 90, 128};
constexpr std::size_t all_out[] = {1, 2, 3, 15, 16, 17, 32, 64, 128};
constexpr std::size_t all_rows[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 64, 129};

float random_value(base::RandomStream& random) {
  return static_cast<float>(random.uniform(-1.0, 1.0));
}

/// Row-major values with zero padding up to whole panels and `untouched` behind it.
Floats random_matrix(std::size_t rows, std::size_t cols, std::size_t stride, base::RandomStream& random) {
  Floats values(std::max<std::size_t>(rows, 1) * stride, untouched);  // memory even for no rows
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < padded(cols); ++col) {
      values[row * stride + col] = col < cols ? random_value(random) : 0.0F;
    }
  }
  return values;
}

Floats random_panels(PanelShape shape, base::RandomStream& random) {
  Floats panels(shape.size(), 0.0F);
  for (std::size_t input = 0; input <= shape.in; ++input) {
    for (std::size_t output = 0; output < shape.out; ++output)
      panels[shape.index(input, output)] = random_value(random);
  }
  return panels;
}

/// A layer with everything its three products read.
struct Layer {
  PanelShape shape;
  std::size_t rows;
  std::size_t x_stride;
  std::size_t y_stride;
  Floats x, slope, panels, transposed, dy;

  Layer(PanelShape layer_shape, std::size_t row_count, std::size_t spare_panels = 0)
      : shape(layer_shape),
        rows(row_count),
        x_stride(padded(shape.in) + spare_panels * panel_width),
        y_stride(padded(shape.out) + spare_panels * panel_width) {
    base::RandomStream random({.seed = shape.in, .member = shape.out, .epoch = rows});
    x = random_matrix(rows, shape.in, x_stride, random);
    slope = random_matrix(rows, shape.in, x_stride, random);
    dy = random_matrix(rows, shape.out, y_stride, random);
    panels = random_panels(shape, random);
    transposed.resize(shape.transposed_size());
    plain::transpose_panels(panels.data(), shape, transposed.data());
  }

  std::string name() const {
    return std::to_string(rows) + " rows, " + std::to_string(shape.in) + " -> " + std::to_string(shape.out);
  }
};

template <class Forward>
Floats forward(const Layer& layer, const Activation* activation, Forward dense_forward_kernel) {
  Floats y(layer.rows * layer.y_stride, untouched);
  dense_forward_kernel(layer.x.data(), layer.x_stride, layer.rows, layer.panels.data(), layer.shape, activation,
                       y.data(), layer.y_stride, nullptr);
  return y;
}

template <class Backward>
Floats backward_input(const Layer& layer, Activation activation, Backward kernel) {
  Floats dx(layer.rows * layer.x_stride, untouched);
  kernel(layer.dy.data(), layer.y_stride, layer.rows, layer.transposed.data(), layer.shape, &activation, layer.x.data(),
         needs_slope(activation) ? layer.slope.data() : nullptr, dx.data(), layer.x_stride);
  return dx;
}

/// backward_input without an activation below the layer.
template <class Backward>
Floats linear_backward_input(const Layer& layer, Backward kernel) {
  Floats dx(layer.rows * layer.x_stride, untouched);
  kernel(layer.dy.data(), layer.y_stride, layer.rows, layer.transposed.data(), layer.shape, nullptr, nullptr, nullptr,
         dx.data(), layer.x_stride);
  return dx;
}

template <class Backward>
Floats backward_weights(const Layer& layer, Backward kernel) {
  Floats gradient(layer.shape.size(), untouched);
  kernel(layer.x.data(), layer.x_stride, layer.dy.data(), layer.y_stride, layer.rows, layer.shape, gradient.data());
  return gradient;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// Bit for bit where multiply-adds are fused; otherwise each of `depth` additions may round differently.
void expect_plain(const Floats& actual, const Floats& plain_result, std::size_t depth, std::int64_t target,
                  const std::string& name) {
  ASSERT_EQ(actual.size(), plain_result.size());
  if (fuses(target)) {
    EXPECT_TRUE(same_bits(actual, plain_result)) << name;
    return;
  }
  const float tolerance = 4e-7F * static_cast<float>(depth + 1);
  float worst = 0.0F;
  for (std::size_t i = 0; i < actual.size(); ++i) worst = std::max(worst, std::abs(actual[i] - plain_result[i]));
  EXPECT_LE(worst, tolerance) << name;
}

template <class Check>
void for_each_shape(const Check& check) {
  for (const std::size_t rows : all_rows) {
    for (const std::size_t in : all_in) {
      for (const std::size_t out : all_out) check(Layer({in, out}, rows));
    }
  }
}

TEST(PanelShape, CountsPaddingAndBias) {
  constexpr PanelShape shape{3, 17};
  EXPECT_EQ(shape.size(), 2U * 4U * 16U);
  EXPECT_EQ(shape.index(0, 16), 4U * 16U);
  EXPECT_EQ(shape.index(3, 2), 3U * 16U + 2U);
  EXPECT_EQ(shape.transposed_size(), 16U * 17U);
}

TEST(RowStride, IsAnOddNumberOfPanelsThatHoldsTheColumns) {
  EXPECT_EQ(row_stride(1), 16U);
  EXPECT_EQ(row_stride(16), 16U);
  EXPECT_EQ(row_stride(17), 48U);
  EXPECT_EQ(row_stride(128), 144U);
}

TEST(PlainLoops, AreTheMatrixProductsOfTheFormulas) {
  const Layer layer({17, 18}, 5, 1);
  const Floats y = forward(layer, nullptr, plain::dense_forward);
  const Floats dx = backward_input(layer, Activation::silu, plain::dense_backward_input);
  const Floats linear = linear_backward_input(layer, plain::dense_backward_input);
  const Floats gradient = backward_weights(layer, plain::dense_backward_weights);
  const auto weight = [&](std::size_t i, std::size_t o) {
    return static_cast<double>(layer.panels[layer.shape.index(i, o)]);
  };
  const auto x = [&](std::size_t row, std::size_t i) { return static_cast<double>(layer.x[row * layer.x_stride + i]); };
  const auto dy = [&](std::size_t row, std::size_t o) {
    return static_cast<double>(layer.dy[row * layer.y_stride + o]);
  };

  for (std::size_t row = 0; row < layer.rows; ++row) {
    for (std::size_t o = 0; o < layer.shape.out; ++o) {
      double sum = weight(layer.shape.in, o);
      for (std::size_t i = 0; i < layer.shape.in; ++i) sum += x(row, i) * weight(i, o);
      EXPECT_NEAR(y[row * layer.y_stride + o], sum, 2e-6);
    }
    for (std::size_t i = 0; i < layer.shape.in; ++i) {
      double sum = 0.0;
      for (std::size_t o = 0; o < layer.shape.out; ++o) sum += dy(row, o) * weight(i, o);
      const std::size_t at = row * layer.x_stride + i;
      EXPECT_NEAR(dx[at], sum * static_cast<double>(layer.slope[at]), 2e-6);
      EXPECT_NEAR(linear[at], sum, 2e-6);
    }
  }
  for (std::size_t o = 0; o < layer.shape.out; ++o) {
    double bias = 0.0;
    for (std::size_t row = 0; row < layer.rows; ++row) bias += dy(row, o);
    EXPECT_NEAR(gradient[layer.shape.index(layer.shape.in, o)], bias, 2e-6);
    for (std::size_t i = 0; i < layer.shape.in; ++i) {
      double sum = 0.0;
      for (std::size_t row = 0; row < layer.rows; ++row) sum += x(row, i) * dy(row, o);
      EXPECT_NEAR(gradient[layer.shape.index(i, o)], sum, 2e-6);
    }
  }
}

TEST(DenseForward, EqualsThePlainLoopAtEveryShape) {
  const Activation relu = Activation::relu;
  for_each_shape([&](const Layer& layer) {
    const Floats linear = forward(layer, nullptr, plain::dense_forward);
    const Floats rectified = forward(layer, &relu, plain::dense_forward);
    on_each_target([&](std::int64_t target) {
      expect_plain(forward(layer, nullptr, dense_forward), linear, layer.shape.in, target, layer.name());
      expect_plain(forward(layer, &relu, dense_forward), rectified, layer.shape.in, target, layer.name());
    });
  });
}

TEST(DenseBackwardInput, EqualsThePlainLoopAtEveryShape) {
  for_each_shape([](const Layer& layer) {
    const Floats plain_result = backward_input(layer, Activation::relu, plain::dense_backward_input);
    on_each_target([&](std::int64_t target) {
      const Floats dx = backward_input(layer, Activation::relu, dense_backward_input);
      expect_plain(dx, plain_result, layer.shape.out, target, layer.name());
    });
  });
}

TEST(DenseBackwardInput, EqualsThePlainLoopForEveryActivationAndNone) {
  for (const std::size_t rows : {1U, 3U, 8U, 13U}) {
    const Layer layer({33, 17}, rows, 1);
    for (const Activation activation : all_activations) {
      const Floats plain_result = backward_input(layer, activation, plain::dense_backward_input);
      on_each_target([&](std::int64_t target) {
        const Floats dx = backward_input(layer, activation, dense_backward_input);
        expect_plain(dx, plain_result, layer.shape.out, target, layer.name());
      });
    }
    const Floats plain_result = linear_backward_input(layer, plain::dense_backward_input);
    on_each_target([&](std::int64_t target) {
      const Floats dx = linear_backward_input(layer, dense_backward_input);
      expect_plain(dx, plain_result, layer.shape.out, target, layer.name());
    });
  }
}

TEST(DenseBackwardWeights, EqualsThePlainLoopAtEveryShape) {
  for_each_shape([](const Layer& layer) {
    const Floats plain_result = backward_weights(layer, plain::dense_backward_weights);
    on_each_target([&](std::int64_t target) {
      const Floats gradient = backward_weights(layer, dense_backward_weights);
      expect_plain(gradient, plain_result, layer.rows, target, layer.name());
    });
  });
}

TEST(DenseLayer, HonoursStridesWiderThanItsColumns) {
  const Activation relu = Activation::relu;
  for (const std::size_t out : all_out) {
    const Layer layer({23, out}, 11, 2);
    const Floats y = forward(layer, &relu, plain::dense_forward);
    const Floats dx = backward_input(layer, relu, plain::dense_backward_input);
    const Floats gradient = backward_weights(layer, plain::dense_backward_weights);
    on_each_target([&](std::int64_t target) {
      expect_plain(forward(layer, &relu, dense_forward), y, layer.shape.in, target, layer.name());
      expect_plain(backward_input(layer, relu, dense_backward_input), dx, out, target, layer.name());
      expect_plain(backward_weights(layer, dense_backward_weights), gradient, layer.rows, target, layer.name());
    });
  }
}

void expect_padding(const Floats& values, std::size_t rows, std::size_t cols, std::size_t stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = cols; col < stride; ++col) {
      ASSERT_EQ(values[row * stride + col], col < padded(cols) ? 0.0F : untouched)
          << "row " << row << " column " << col;
    }
  }
}

TEST(DenseLayer, ZeroesItsPaddingAndTouchesNothingBehindIt) {
  for (const Activation activation : all_activations) {
    for (const std::size_t out : {1U, 5U, 9U, 18U}) {
      const Layer layer({5, out}, 7, 1);
      on_each_target([&](std::int64_t) {
        Floats y(layer.rows * layer.y_stride, untouched);
        Floats slope = y;
        dense_forward(layer.x.data(), layer.x_stride, layer.rows, layer.panels.data(), layer.shape, &activation,
                      y.data(), layer.y_stride, slope.data());
        expect_padding(y, layer.rows, out, layer.y_stride);
        expect_padding(slope, layer.rows, out, layer.y_stride);
        expect_padding(backward_input(layer, activation, dense_backward_input), layer.rows, layer.shape.in,
                       layer.x_stride);
      });
    }
  }
}

TEST(DenseBackwardWeights, KeepsThePaddingOfPanelsZero) {
  for (const std::size_t out : {1U, 2U, 8U, 9U, 15U, 17U, 31U}) {
    const Layer layer({7, out}, 9);
    on_each_target([&](std::int64_t) {
      const Floats gradient = backward_weights(layer, dense_backward_weights);
      for (std::size_t i = 0; i <= layer.shape.in; ++i) {
        for (std::size_t o = out; o < padded(out); ++o) ASSERT_EQ(gradient[layer.shape.index(i, o)], 0.0F);
      }
    });
  }
}

TEST(DenseForward, GivesARowTheSameBitsAloneAndInABlock) {
  for (const Activation activation : all_activations) {
    for (const std::size_t out : {2U, 17U, 64U}) {
      const Layer block({29, out}, 67);
      on_each_target([&](std::int64_t) {
        const Floats y = forward(block, &activation, dense_forward);
        for (std::size_t row = 0; row < block.rows; ++row) {
          Floats alone(block.y_stride);
          dense_forward(block.x.data() + row * block.x_stride, block.x_stride, 1, block.panels.data(), block.shape,
                        &activation, alone.data(), block.y_stride, nullptr);
          ASSERT_EQ(std::memcmp(alone.data(), y.data() + row * block.y_stride, alone.size() * sizeof(float)), 0)
              << "row " << row;
        }
      });
    }
  }
}

TEST(DenseForward, LetsNanThroughEveryActivation) {
  for (const Activation activation : all_activations) {
    Layer layer({3, 2}, 5);
    layer.x[2 * layer.x_stride] = std::numeric_limits<float>::quiet_NaN();
    on_each_target([&](std::int64_t) {
      const Floats y = forward(layer, &activation, dense_forward);
      EXPECT_TRUE(std::isnan(y[2 * layer.y_stride]));
      EXPECT_TRUE(std::isfinite(y[3 * layer.y_stride]));
    });
  }
}

TEST(TransposePanels, EqualsThePlainLoopAtEveryShape) {
  for (const std::size_t in : all_in) {
    for (const std::size_t out : all_out) {
      const Layer layer({in, out}, 0);
      on_each_target([&](std::int64_t) {
        Floats transposed(layer.shape.transposed_size(), untouched);
        transpose_panels(layer.panels.data(), layer.shape, transposed.data());
        EXPECT_TRUE(same_bits(transposed, layer.transposed)) << layer.name();
      });
    }
  }
}

TEST(GatherRows, CopiesRowsInTheGivenOrder) {
  base::RandomStream random({.seed = 3});
  const Floats from = random_matrix(9, 32, 32, random);
  const std::uint32_t order[] = {8, 0, 3, 3, 7};
  Floats to(5 * 48);
  Floats expected = to;
  gather_rows(from.data(), 32, order, 5, to.data(), 48);
  plain::gather_rows(from.data(), 32, order, 5, expected.data(), 48);
  EXPECT_TRUE(same_bits(to, expected));
  EXPECT_EQ(to[0], from[8 * 32]);
}

TEST(KernelTarget, NamesTheTargetInUse) {
  on_each_target([](std::int64_t target) { EXPECT_STREQ(kernel_target(), hwy::TargetName(target)); });
}

}  // namespace
}  // namespace credens::math
