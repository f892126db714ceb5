// SPDX-License-Identifier: Apache-2.0
//
// The periodic embedding and the gradient of its frequencies against their plain loops, on every target.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/random.hpp"
#include "math/kernels.hpp"
#include "unit/math/each_target.hpp"
#include "unit/math/plain_kernels.hpp"

namespace credens::math {
namespace {

using Floats = base::AlignedVector<float>;

constexpr float untouched = -77.0F;
constexpr EmbeddingShape all_shapes[] = {{1, 1}, {1, 2}, {3, 1},  {2, 4},  {1, 8},  {5, 3},  {1, 16}, {1, 17},
                                         {4, 4}, {4, 8}, {13, 4}, {16, 1}, {17, 2}, {90, 1}, {100, 8}};
constexpr std::size_t all_rows[] = {0, 1, 2, 31, 32, 33, 65};

/// Rows and frequencies, and what comes back to them.
struct Embedding {
  EmbeddingShape shape;
  std::size_t rows;
  std::size_t z_stride;
  std::size_t u_stride;
  Floats z, du;
  std::vector<float> c;  // not aligned, as behind a network's other parameters

  Embedding(EmbeddingShape given, std::size_t row_count, double spread = 1.0, std::size_t spare_panels = 0)
      : shape(given),
        rows(row_count),
        z_stride(padded(shape.inputs) + spare_panels * panel_width),
        u_stride(padded(shape.width()) + spare_panels * panel_width),
        z((rows + 1) * z_stride),
        du((rows + 1) * u_stride, untouched),
        c(shape.waves() + 1) {
    base::RandomStream random({.seed = shape.inputs, .member = shape.frequencies, .epoch = rows});
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t j = 0; j < shape.inputs; ++j) z[row * z_stride + j] = static_cast<float>(random.normal());
      for (std::size_t j = 0; j < shape.width(); ++j) du[row * u_stride + j] = static_cast<float>(random.normal());
    }
    for (float& value : c) value = static_cast<float>(spread * random.normal());
  }

  const float* frequencies() const { return c.data() + 1; }
  std::string name() const {
    return std::to_string(rows) + " rows, " + std::to_string(shape.inputs) + " x " + std::to_string(shape.frequencies);
  }
};

template <class Embed>
Floats forward(const Embedding& from, Embed kernel) {
  Floats u((from.rows + 1) * from.u_stride, untouched);
  kernel(from.z.data(), from.z_stride, from.rows, from.frequencies(), from.shape, u.data(), from.u_stride);
  return u;
}

/// The gradient, with one value before and one behind it that nothing may touch.
template <class Backward>
std::vector<float> backward(const Embedding& from, const Floats& u, Backward kernel) {
  std::vector<float> gradient(from.shape.waves() + 2, untouched);
  kernel(u.data(), from.u_stride, from.du.data(), from.u_stride, from.rows, from.shape, gradient.data() + 1);
  return gradient;
}

template <class Values>
void expect_near(const Values& found, const Values& expected, float tolerance, const std::string& name) {
  ASSERT_EQ(found.size(), expected.size());
  float worst = 0.0F;
  for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[i]));
  EXPECT_LE(worst, tolerance) << name;
}

template <class Check>
void for_each_case(const Check& check) {
  for (const EmbeddingShape shape : all_shapes) {
    for (const std::size_t rows : all_rows) check(Embedding(shape, rows));
  }
}

TEST(PlainEmbedding, IsTheFormula) {
  const Embedding embedding({3, 2}, 4);
  const Floats u = forward(embedding, plain::embed);
  for (std::size_t row = 0; row < 4; ++row) {
    const float* found = u.data() + row * embedding.u_stride;
    for (std::size_t j = 0; j < 3; ++j) {
      const double z = embedding.z[row * embedding.z_stride + j];
      EXPECT_EQ(found[j], embedding.z[row * embedding.z_stride + j]);
      for (std::size_t m = 0; m < 2; ++m) {
        const double angle = 2 * std::numbers::pi * embedding.frequencies()[j * 2 + m] * z;
        EXPECT_NEAR(found[3 + j * 2 + m], std::sin(angle), 1e-7);
        EXPECT_NEAR(found[9 + j * 2 + m], std::cos(angle), 1e-7);
      }
    }
  }
}

TEST(PlainEmbedding, GradientIsTheDerivativeOfAWeightedSum) {
  Embedding embedding({3, 2}, 4);
  const auto weighted_sum = [&] {
    double sum = 0;
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t wave = 0; wave < 6; ++wave) {
        const double angle = 2 * std::numbers::pi * embedding.frequencies()[wave] *
                             static_cast<double>(embedding.z[row * embedding.z_stride + wave / 2]);
        const float* du = embedding.du.data() + row * embedding.u_stride;
        sum +=
            static_cast<double>(du[3 + wave]) * std::sin(angle) + static_cast<double>(du[9 + wave]) * std::cos(angle);
      }
    }
    return sum;
  };
  const std::vector<float> gradient = backward(embedding, forward(embedding, plain::embed), plain::embed_backward);
  for (std::size_t wave = 0; wave < 6; ++wave) {
    const float at = embedding.c[wave + 1];
    const float above = at + 1e-3F;
    const float below = at - 1e-3F;
    embedding.c[wave + 1] = above;
    const double higher = weighted_sum();
    embedding.c[wave + 1] = below;
    const double lower = weighted_sum();
    embedding.c[wave + 1] = at;
    const double slope = (higher - lower) / (static_cast<double>(above) - static_cast<double>(below));
    EXPECT_NEAR(gradient[wave + 1], slope, 1e-3 * (1 + std::abs(slope)));
  }
}

TEST(Embed, EqualsThePlainLoopAtEveryShape) {
  for_each_case([](const Embedding& embedding) {
    const Floats expected = forward(embedding, plain::embed);
    on_each_target([&](std::int64_t target) {
      // Targets that round products first are off by 1e-6 of a turn at some ten turns.
      expect_near(forward(embedding, embed), expected, fuses(target) ? 2e-7F : 1e-5F, embedding.name());
    });
  });
}

TEST(Embed, HonoursStridesWiderThanItsColumns) {
  const Embedding embedding({5, 3}, 35, 1.0, 2);
  const Floats expected = forward(embedding, plain::embed);
  on_each_target([&](std::int64_t target) {
    expect_near(forward(embedding, embed), expected, fuses(target) ? 2e-7F : 1e-5F, embedding.name());
  });
}

TEST(Embed, ZeroesItsPaddingAndTouchesNothingBehindIt) {
  for_each_case([](const Embedding& embedding) {
    on_each_target([&](std::int64_t) {
      const Floats u = forward(embedding, embed);
      for (std::size_t row = 0; row < embedding.rows; ++row) {
        for (std::size_t col = embedding.shape.width(); col < embedding.u_stride; ++col) {
          ASSERT_EQ(u[row * embedding.u_stride + col], 0.0F) << embedding.name();
        }
      }
      for (std::size_t i = embedding.rows * embedding.u_stride; i < u.size(); ++i) ASSERT_EQ(u[i], untouched);
    });
  });
}

/// sine and cosine of one frequency at many inputs.
struct Waves {
  std::vector<float> sine;
  std::vector<float> cosine;
};

Waves waves_of(float frequency, const std::vector<float>& inputs) {
  Floats z(inputs.size() * panel_width);
  for (std::size_t i = 0; i < inputs.size(); ++i) z[i * panel_width] = inputs[i];
  Floats u(z.size());
  embed(z.data(), panel_width, inputs.size(), &frequency, {1, 1}, u.data(), panel_width);
  Waves waves;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    waves.sine.push_back(u[i * panel_width + 1]);
    waves.cosine.push_back(u[i * panel_width + 2]);
  }
  return waves;
}

TEST(Embed, IsExactToSinglePrecisionForThousandsOfTurns) {
  std::vector<float> inputs;
  for (int i = -100'000; i <= 100'000; ++i) inputs.push_back(static_cast<float>(i) * 0.0137F);
  on_each_target([&](std::int64_t target) {
    for (const float frequency : {0.25F, 1.0F, 7.3F}) {
      const Waves waves = waves_of(frequency, inputs);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const double turns = static_cast<double>(frequency) * static_cast<double>(inputs[i]);
        const double angle = 2 * std::numbers::pi * std::remainder(turns, 1.0);
        const double tolerance = fuses(target) ? 5e-7 : 5e-7 + 4e-7 * std::abs(turns);
        ASSERT_NEAR(waves.sine[i], std::sin(angle), tolerance) << turns;
        ASSERT_NEAR(waves.cosine[i], std::cos(angle), tolerance) << turns;
      }
    }
  });
}

TEST(Embed, IsExactAtQuarterTurns) {
  on_each_target([](std::int64_t) {
    const Waves waves = waves_of(0.25F, {0, 1, 2, 3, 4, -1, -2, -3, 4001});
    const std::vector<float> sines = {0, 1, 0, -1, 0, -1, 0, 1, 1};
    const std::vector<float> cosines = {1, 0, -1, 0, 1, 0, -1, 0, 0};
    expect_near(waves.sine, sines, 1e-7F, "sine");
    expect_near(waves.cosine, cosines, 1e-7F, "cosine");
  });
}

TEST(Embed, IsFiniteAndAtMostOneForEveryFiniteNumber) {
  const std::vector<float> sizes = {0.0F,       1e-45F,     1e-30F, 1e-8F, 0.1F,   1e4F,
                                    1048575.0F, 1048576.0F, 1e7F,   1e30F, 3.4e38F};
  std::vector<float> inputs;
  for (const float size : sizes) inputs.insert(inputs.end(), {size, -size});
  on_each_target([&](std::int64_t) {
    for (const float frequency : inputs) {
      const Waves waves = waves_of(frequency, inputs);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        ASSERT_LE(std::abs(waves.sine[i]), 1.00001F) << frequency << " " << inputs[i];
        ASSERT_LE(std::abs(waves.cosine[i]), 1.00001F) << frequency << " " << inputs[i];
        if (std::abs(static_cast<double>(frequency) * inputs[i]) < 1e7) continue;
        ASSERT_EQ(waves.sine[i], 0.0F);
        ASSERT_EQ(waves.cosine[i], 1.0F);
      }
    }
  });
}

TEST(Embed, LetsNanThrough) {
  on_each_target([](std::int64_t) {
    const Waves waves = waves_of(1.0F, {0.5F, std::numeric_limits<float>::quiet_NaN(), 0.25F});
    EXPECT_TRUE(std::isnan(waves.sine[1]) && std::isnan(waves.cosine[1]));
    EXPECT_TRUE(std::isfinite(waves.sine[2]));
  });
}

TEST(Embed, HasTheSameBitsOnTargetsThatRoundAlike) {
  for (const EmbeddingShape shape : all_shapes) {
    const Embedding embedding(shape, 40, 30.0);
    std::vector<Floats> first(2);
    on_each_target([&](std::int64_t target) {
      Floats& of_kind = first[fuses(target) ? 1 : 0];
      const Floats u = forward(embedding, embed);
      if (of_kind.empty()) of_kind = u;
      EXPECT_EQ(std::memcmp(u.data(), of_kind.data(), u.size() * sizeof(float)), 0) << embedding.name();
    });
  }
}

TEST(Embed, GivesARowTheSameBitsAloneAndInABlock) {
  for (const EmbeddingShape shape : all_shapes) {
    const Embedding block(shape, 67);
    on_each_target([&](std::int64_t) {
      const Floats u = forward(block, embed);
      for (std::size_t row = 0; row < block.rows; ++row) {
        Floats alone(block.u_stride);
        embed(block.z.data() + row * block.z_stride, block.z_stride, 1, block.frequencies(), shape, alone.data(),
              block.u_stride);
        ASSERT_EQ(std::memcmp(alone.data(), u.data() + row * block.u_stride, alone.size() * sizeof(float)), 0);
      }
    });
  }
}

TEST(EmbedBackward, EqualsThePlainLoopAtEveryShape) {
  for_each_case([](const Embedding& embedding) {
    const Floats u = forward(embedding, plain::embed);
    const std::vector<float> expected = backward(embedding, u, plain::embed_backward);
    on_each_target([&](std::int64_t target) {
      const std::vector<float> found = backward(embedding, u, embed_backward);
      const float rounding = fuses(target) ? 0.0F : 1e-5F * static_cast<float>(embedding.rows + 1);
      expect_near(found, expected, rounding, embedding.name());
    });
  });
}

}  // namespace
}  // namespace credens::math
