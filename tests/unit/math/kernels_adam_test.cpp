// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/aligned.hpp"
#include "base/random.hpp"
#include "base/subnormals.hpp"
#include "math/kernels.hpp"
#include "unit/math/each_target.hpp"
#include "unit/math/plain_kernels.hpp"

namespace credens::math {
namespace {

using Floats = base::AlignedVector<float>;

constexpr double learning_rate = 1e-2;
constexpr double decay = 1e-3;

/// The constants of step t = 1, 2, ..., made in double from the float betas.
AdamStep step_at(int t) {
  AdamStep step{.rate = 0.0F, .root_scale = 0.0F, .decay = static_cast<float>(decay)};
  step.rate = static_cast<float>(learning_rate / (1.0 - std::pow(static_cast<double>(step.beta1), t)));
  step.root_scale = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(static_cast<double>(step.beta2), t)));
  return step;
}

struct State {
  Floats theta, m, v;

  explicit State(std::size_t count) : theta(count), m(count), v(count) {
    base::RandomStream random({.seed = 5});
    for (float& value : theta) value = static_cast<float>(random.normal());
  }
};

/// Gradients of very different sizes, as layers have them.
Floats gradient_at(int t, std::size_t count) {
  base::RandomStream random({.seed = 6, .epoch = static_cast<std::uint64_t>(t)});
  Floats gradient(count);
  for (std::size_t i = 0; i < count; ++i) {
    gradient[i] = static_cast<float>(random.normal() * std::pow(10.0, -static_cast<double>(i % 8)));
  }
  return gradient;
}

template <class Kernel>
State run(Kernel kernel, std::size_t count, int steps) {
  State state(count);
  for (int t = 1; t <= steps; ++t) {
    kernel(step_at(t), count, gradient_at(t, count).data(), state.theta.data(), state.m.data(), state.v.data());
  }
  return state;
}

/// The textbook's Adam in double: corrected moments, then the step.
std::vector<double> textbook(std::size_t count, int steps) {
  const State start(count);
  const double beta1 = AdamStep().beta1;
  const double beta2 = AdamStep().beta2;
  std::vector<double> theta(start.theta.begin(), start.theta.end());
  std::vector<double> m(count);
  std::vector<double> v(count);
  for (int t = 1; t <= steps; ++t) {
    const Floats gradient = gradient_at(t, count);
    for (std::size_t i = 0; i < count; ++i) {
      const double g = static_cast<double>(gradient[i]) + decay * theta[i];
      m[i] = beta1 * m[i] + (1.0 - beta1) * g;
      v[i] = beta2 * v[i] + (1.0 - beta2) * g * g;
      const double corrected_m = m[i] / (1.0 - std::pow(beta1, t));
      const double corrected_v = v[i] / (1.0 - std::pow(beta2, t));
      theta[i] -= learning_rate * corrected_m / (std::sqrt(corrected_v) + 1e-8);
    }
  }
  return theta;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Adam, TakesTheStepsOfTheTextbook) {
  const std::vector<double> expected = textbook(100, 50);
  on_each_target([&](std::int64_t) {
    const State state = run(adam, 100, 50);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(state.theta[i], expected[i], 2e-6);
  });
}

TEST(Adam, EqualsThePlainLoopBitForBitWhereMultiplyAddsAreFused) {
  for (const std::size_t count : {1U, 7U, 16U, 31U, 1000U}) {
    const State expected = run(plain::adam, count, 5);
    on_each_target([&](std::int64_t target) {
      const State state = run(adam, count, 5);
      if (fuses(target)) {
        EXPECT_TRUE(same_bits(state.theta, expected.theta));
        EXPECT_TRUE(same_bits(state.m, expected.m));
        EXPECT_TRUE(same_bits(state.v, expected.v));
      } else {
        for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(state.theta[i], expected.theta[i], 1e-6);
      }
    });
  }
}

TEST(Adam, TouchesExactlyAsManyParametersAsAskedFor) {
  on_each_target([](std::int64_t) {
    for (std::size_t count = 0; count < 40; ++count) {
      Floats theta(40, 1.0F);
      Floats m(40);
      Floats v(40);
      const Floats gradient(40, 1.0F);
      adam(step_at(1), count, gradient.data(), theta.data(), m.data(), v.data());
      for (std::size_t i = 0; i < 40; ++i) {
        ASSERT_EQ(theta[i] != 1.0F, i < count);
        ASSERT_EQ(m[i] != 0.0F, i < count);
        ASSERT_EQ(v[i] != 0.0F, i < count);
      }
    }
  });
}

TEST(Adam, StepsFromAnyPlaceAlike) {
  on_each_target([](std::int64_t) {
    const auto stepped = [](std::size_t first) {
      Floats theta(first + 40, 1.0F);
      Floats m(first + 40);
      Floats v(first + 40);
      Floats gradient(first + 40);
      for (std::size_t i = 0; i < 40; ++i) gradient[first + i] = static_cast<float>(i) - 20.5F;
      adam(step_at(1), 40, gradient.data() + first, theta.data() + first, m.data() + first, v.data() + first);
      return Floats(theta.begin() + static_cast<std::ptrdiff_t>(first), theta.end());
    };
    for (std::size_t first = 1; first < 16; ++first) ASSERT_TRUE(same_bits(stepped(first), stepped(0)));
  });
}

TEST(Adam, LeavesAZeroParameterWithoutGradientAtExactlyZero) {
  on_each_target([](std::int64_t) {
    Floats theta(16);
    Floats m(16);
    Floats v(16);
    const Floats gradient(16);
    for (int t = 1; t <= 3; ++t) adam(step_at(t), 16, gradient.data(), theta.data(), m.data(), v.data());
    EXPECT_TRUE(same_bits(theta, Floats(16)));
    EXPECT_TRUE(same_bits(m, Floats(16)));
  });
}

TEST(Adam, LetsTheMomentsOfADeadUnitReachZeroWhereSubnormalNumbersAreFlushed) {
  const base::FlushSubnormals flush;
  on_each_target([](std::int64_t) {
    Floats theta(16);
    Floats m(16, 1e-30F);
    Floats v(16, 2e-38F);
    const Floats gradient(16);
    AdamStep step = step_at(1000);
    step.decay = 0.0F;
    for (int t = 1; t <= 1000; ++t) adam(step, 16, gradient.data(), theta.data(), m.data(), v.data());
    EXPECT_EQ(m[0], 0.0F);
    EXPECT_EQ(v[0], 0.0F);
  });
}

// ---- a layer ----

struct Layer {
  PanelShape shape;
  State state;
  Floats transposed;

  explicit Layer(PanelShape given) : shape(given), state(given.size()), transposed(given.transposed_size()) {
    for (std::size_t row = 0; row <= shape.in; ++row) {
      for (std::size_t output = shape.out; output < padded(shape.out); ++output) {
        state.theta[shape.index(row, output)] = 0;
      }
    }
    plain::transpose_panels(state.theta.data(), shape, transposed.data());
  }

  Floats gradient(int t) const {
    Floats values = gradient_at(t, shape.size());
    for (std::size_t row = 0; row <= shape.in; ++row) {
      for (std::size_t output = shape.out; output < padded(shape.out); ++output) values[shape.index(row, output)] = 0;
    }
    return values;
  }
};

template <class Kernel>
Layer run_layer(Kernel kernel, PanelShape shape, bool transposes) {
  Layer layer(shape);
  State& state = layer.state;
  for (int t = 1; t <= 3; ++t) {
    kernel(step_at(t), shape, layer.gradient(t).data(), state.theta.data(), state.m.data(), state.v.data(),
           transposes ? layer.transposed.data() : nullptr);
  }
  return layer;
}

TEST(AdamLayer, EqualsThePlainLoopBitForBitAtEveryShapeWhereMultiplyAddsAreFused) {
  for (const std::size_t in : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 17U, 32U, 90U}) {
    for (const std::size_t out : {1U, 2U, 9U, 16U, 17U, 35U}) {
      for (const bool transposes : {false, true}) {
        const Layer expected = run_layer(plain::adam_layer, {in, out}, transposes);
        on_each_target([&](std::int64_t target) {
          SCOPED_TRACE(testing::Message() << in << " x " << out);
          const Layer found = run_layer(adam_layer, {in, out}, transposes);
          if (fuses(target)) {
            EXPECT_TRUE(same_bits(found.state.theta, expected.state.theta));
            EXPECT_TRUE(same_bits(found.state.m, expected.state.m));
            EXPECT_TRUE(same_bits(found.state.v, expected.state.v));
            EXPECT_TRUE(same_bits(found.transposed, expected.transposed));
          } else {
            for (std::size_t i = 0; i < found.shape.size(); ++i) {
              ASSERT_NEAR(found.state.theta[i], expected.state.theta[i], 1e-6);
            }
          }
        });
      }
    }
  }
}

TEST(AdamLayer, TakesTheStepsOfAdam) {
  const PanelShape shape{12, 16};
  on_each_target([&](std::int64_t) {
    const Layer layer = run_layer(adam_layer, shape, true);
    const State state = run(adam, shape.size(), 3);
    for (std::size_t i = 0; i < shape.size(); ++i) EXPECT_NEAR(layer.state.theta[i], state.theta[i], 1e-6);
  });
}

}  // namespace
}  // namespace credens::math
