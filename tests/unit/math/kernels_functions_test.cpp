// SPDX-License-Identifier: Apache-2.0
//
// Activations and noise links against their formulas in double, on every target.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "base/aligned.hpp"
#include "math/kernels.hpp"
#include "unit/math/each_target.hpp"
#include "unit/math/plain_kernels.hpp"

namespace credens::math {
namespace {

using Floats = base::AlignedVector<float>;

constexpr Activation all_activations[] = {Activation::relu, Activation::tanh, Activation::silu, Activation::gelu,
                                          Activation::elu};
constexpr NoiseLink all_links[] = {NoiseLink::softplus, NoiseLink::exp};

/// A function's value and slope; `scale` is the size of the slope's terms before they cancel.
struct Exact {
  double value;
  double slope;
  double scale;
};

Exact exact(Activation activation, double x) {
  const double s = 1.0 / (1.0 + std::exp(-x));
  const double complement = 1.0 / (1.0 + std::exp(x));
  const double normal = 0.5 * std::erfc(-x / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
  switch (activation) {
    case Activation::relu:
      return {std::max(x, 0.0), x > 0.0 ? 1.0 : 0.0, 1.0};
    case Activation::tanh:
      return {std::tanh(x), 1.0 - std::tanh(x) * std::tanh(x), 1.0};
    case Activation::silu:
      return {x * s, s + x * s * complement, s + std::abs(x) * s * complement};
    case Activation::gelu:
      return {x * normal, normal + x * density, normal + std::abs(x) * density};
    case Activation::elu:
      return {x > 0.0 ? x : std::expm1(x), x > 0.0 ? 1.0 : std::exp(x), 1.0};
  }
  return {};
}

struct Result {
  Floats value;
  Floats slope;
};

/// The activation at each x, through a layer with the single weight 1.
template <class Forward>
Result activate(Forward forward, Activation activation, const std::vector<float>& points) {
  constexpr PanelShape shape{1, 1};
  Floats panels(shape.size(), 0.0F);
  panels[0] = 1.0F;
  Floats x(points.size() * panel_width, 0.0F);
  for (std::size_t i = 0; i < points.size(); ++i) x[i * panel_width] = points[i];
  Floats y(x.size());
  Floats slope(x.size());
  forward(x.data(), panel_width, points.size(), panels.data(), shape, &activation, y.data(), panel_width, slope.data());
  Result result{Floats(points.size()), Floats(points.size())};
  for (std::size_t i = 0; i < points.size(); ++i) {
    result.value[i] = y[i * panel_width];
    result.slope[i] = slope[i * panel_width];
  }
  return result;
}

std::vector<float> grid(float low, float high, std::size_t count) {
  std::vector<float> points(count);
  for (std::size_t i = 0; i < count; ++i) {
    points[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(count - 1);
  }
  return points;
}

/// Numbers at which careless formulas overflow, cancel or divide zero by zero.
std::vector<float> extremes() {
  std::vector<float> points;
  for (const float size :
       {0.0F, 1e-45F, 1e-40F, 1e-30F, 1e-8F, 9.02F, 14.9F, 15.1F, 87.5F, 89.0F, 104.0F, 1e4F, 1e30F, 3.4e38F}) {
    points.push_back(size);
    points.push_back(-size);
  }
  return points;
}

// Below the smallest normal number float has no relative precision left.
constexpr double smallest = 4.0 * std::numeric_limits<float>::min();

void expect_exact(const Result& result, Activation activation, const std::vector<float>& points, double tolerance) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Exact expected = exact(activation, static_cast<double>(points[i]));
    ASSERT_NEAR(result.value[i], expected.value, tolerance * std::abs(expected.value) + smallest)
        << "x = " << points[i];
    ASSERT_NEAR(result.slope[i], expected.slope, tolerance * expected.scale + smallest) << "x = " << points[i];
  }
}

TEST(Activations, AgreeWithTheirFormulasInDouble) {
  const std::vector<float> points = grid(-20.0F, 20.0F, 20001);
  for (const Activation activation : all_activations) {
    expect_exact(activate(plain::dense_forward, activation, points), activation, points, 1e-7);
    on_each_target(
        [&](std::int64_t) { expect_exact(activate(dense_forward, activation, points), activation, points, 1e-6); });
  }
}

TEST(Activations, AreFiniteAndRightForEveryFiniteNumber) {
  const std::vector<float> points = extremes();
  for (const Activation activation : all_activations) {
    on_each_target(
        [&](std::int64_t) { expect_exact(activate(dense_forward, activation, points), activation, points, 1e-6); });
  }
}

TEST(Activations, KeepTheirRelativePrecisionNearZero) {
  for (const Activation activation : all_activations) {
    on_each_target([&](std::int64_t) {
      for (float x = 1e-36F; x < 1.0F; x *= 3.0F) {
        const Result result = activate(dense_forward, activation, {x, -x});
        for (const std::size_t i : {0U, 1U}) {
          const double expected = exact(activation, static_cast<double>(i == 0 ? x : -x)).value;
          ASSERT_NEAR(result.value[i], expected, 1e-6 * std::abs(expected)) << "x = " << x;
        }
      }
    });
  }
}

/// Calls `compute` on each target and expects the same bits from all that round multiply-adds alike.
template <class Compute>
void expect_same_bits_for_same_rounding(const Compute& compute) {
  Floats first[2];
  on_each_target([&](std::int64_t target) {
    const Floats values = compute();
    Floats& reference = first[fuses(target) ? 1 : 0];
    if (reference.empty()) reference = values;
    EXPECT_EQ(std::memcmp(values.data(), reference.data(), values.size() * sizeof(float)), 0);
  });
}

TEST(Activations, HaveTheSameBitsOnTargetsThatRoundAlike) {
  const std::vector<float> points = grid(-16.0F, 16.0F, 10007);
  for (const Activation activation : all_activations) {
    expect_same_bits_for_same_rounding([&] {
      Result result = activate(dense_forward, activation, points);
      result.value.insert(result.value.end(), result.slope.begin(), result.slope.end());
      return result.value;
    });
  }
}

Exact exact(NoiseLink link, double raw) {
  if (link == NoiseLink::softplus) {
    return {std::max(raw, 0.0) + std::log1p(std::exp(-std::abs(raw))), 1.0 / (1.0 + std::exp(-raw)), 1.0};
  }
  const double value = std::exp(std::clamp(raw, -30.0, 30.0));
  return {value, raw < -30.0 ? 0.0 : value, 1.0};  // above 30 the slope leads back
}

template <class Kernel>
Result noise(Kernel kernel, NoiseLink link, float floor, const std::vector<float>& raw) {
  const Floats aligned(raw.begin(), raw.end());
  Result result{Floats(raw.size()), Floats(raw.size())};
  kernel(link, floor, raw.size(), aligned.data(), result.value.data(), result.slope.data());
  return result;
}

void expect_exact(const Result& result, NoiseLink link, const std::vector<float>& raw, double tolerance) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const Exact expected = exact(link, static_cast<double>(raw[i]));
    ASSERT_NEAR(result.value[i], expected.value, tolerance * expected.value + smallest) << "raw = " << raw[i];
    ASSERT_NEAR(result.slope[i], expected.slope, tolerance * expected.slope + smallest) << "raw = " << raw[i];
  }
}

TEST(NoiseVariance, AgreesWithItsFormulasInDouble) {
  for (const NoiseLink link : all_links) {
    for (const std::vector<float>& raw : {grid(-87.0F, 87.0F, 20001), grid(-1.0F, 1.0F, 5003), extremes()}) {
      expect_exact(noise(plain::noise_variance, link, 0.0F, raw), link, raw, 1e-7);
      on_each_target([&](std::int64_t) { expect_exact(noise(noise_variance, link, 0.0F, raw), link, raw, 1e-6); });
    }
  }
}

TEST(NoiseVariance, AddsTheFloorAndNeverFallsBelowIt) {
  for (const NoiseLink link : all_links) {
    on_each_target([&](std::int64_t) {
      const Result result = noise(noise_variance, link, 1e-6F, {-1e30F, -50.0F, 0.0F, 2.0F});
      EXPECT_GE(result.value[0], 1e-6F);
      EXPECT_GE(result.value[1], 1e-6F);
      EXPECT_NEAR(result.value[2], exact(link, 0.0).value + 1e-6, 1e-7);
      EXPECT_NEAR(result.value[3], exact(link, 2.0).value + 1e-6, 1e-6);
    });
  }
}

TEST(NoiseVariance, WritesExactlyAsManyValuesAsAskedFor) {
  for (std::size_t count = 0; count < 40; ++count) {
    const std::vector<float> raw = grid(-3.0F, 3.0F, 40);
    const Result all = noise(plain::noise_variance, NoiseLink::softplus, 0.0F, raw);
    on_each_target([&](std::int64_t) {
      const Floats aligned(raw.begin(), raw.end());
      Floats variance(40, -1.0F);
      Floats slope(40, -1.0F);
      noise_variance(NoiseLink::softplus, 0.0F, count, aligned.data(), variance.data(), slope.data());
      for (std::size_t i = 0; i < 40; ++i) {
        ASSERT_NEAR(variance[i], i < count ? all.value[i] : -1.0F, 1e-6F);
        ASSERT_NEAR(slope[i], i < count ? all.slope[i] : -1.0F, 1e-6F);
      }
    });
  }
}

TEST(NoiseVariance, LetsNanThrough) {
  for (const NoiseLink link : all_links) {
    on_each_target([&](std::int64_t) {
      const Result result = noise(noise_variance, link, 1e-6F, {std::numeric_limits<float>::quiet_NaN()});
      EXPECT_TRUE(std::isnan(result.value[0]));
    });
  }
}

TEST(NoiseVariance, HasTheSameBitsOnTargetsThatRoundAlike) {
  for (const NoiseLink link : all_links) {
    expect_same_bits_for_same_rounding([&] {
      Result result = noise(noise_variance, link, 1e-6F, grid(-40.0F, 40.0F, 10007));
      result.value.insert(result.value.end(), result.slope.begin(), result.slope.end());
      return result.value;
    });
  }
}

/// Means, targets, variances over 40 powers of ten and scales, none of them round; pads hold zeros.
struct LossRows {
  Floats mean, target, variance, scale, loss, mean_slope, variance_slope;

  explicit LossRows(std::size_t count) {
    for (Floats* values : {&mean, &target, &variance, &scale, &loss, &mean_slope, &variance_slope}) {
      values->resize(padded(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto t = static_cast<float>(i) / static_cast<float>(count);
      variance[i] = std::pow(10.0F, 40.0F * t - 20.0F);
      mean[i] = std::sin(1000.0F * t);
      target[i] = mean[i] + 2.0F * std::sqrt(variance[i]) * std::cos(777.0F * t);
      scale[i] = 0.01F + t;
    }
  }

  GaussianLoss view() {
    return {mean.data(), target.data(),     variance.data(),      scale.data(),
            loss.data(), mean_slope.data(), variance_slope.data()};
  }
};

TEST(GaussianLoss, AgreesWithItsFormulasInDouble) {
  constexpr std::size_t count = 10007;
  LossRows expected(count);
  plain::gaussian_loss(count, expected.view());
  on_each_target([&](std::int64_t) {
    LossRows found(count);
    gaussian_loss(count, found.view());
    for (std::size_t i = 0; i < count; ++i) {
      const double residual = static_cast<double>(found.mean[i]) - found.target[i];
      const double square = residual * residual / found.variance[i];
      const double terms = 0.5 * found.scale[i] * (square + std::abs(std::log(found.variance[i])));
      ASSERT_NEAR(found.loss[i], expected.loss[i], 5e-7 * terms) << i;
      ASSERT_NEAR(found.mean_slope[i], expected.mean_slope[i], 5e-7 * std::abs(expected.mean_slope[i])) << i;
      const double slope_terms = 0.5 * found.scale[i] * (1 + square) / found.variance[i];
      ASSERT_NEAR(found.variance_slope[i], expected.variance_slope[i], 5e-7 * slope_terms) << i;
    }
  });
}

TEST(GaussianLoss, IsNotFiniteWhereAValueIsNot) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  on_each_target([&](std::int64_t) {
    for (const float bad : {infinity, std::numeric_limits<float>::quiet_NaN()}) {
      LossRows rows(2);
      rows.mean[0] = bad;
      rows.variance[1] = bad;
      gaussian_loss(2, rows.view());
      EXPECT_FALSE(std::isfinite(rows.loss[0]));
      EXPECT_FALSE(std::isfinite(rows.loss[1]));
    }
  });
}

TEST(GaussianLoss, HasTheSameBitsOnTargetsThatRoundAlike) {
  expect_same_bits_for_same_rounding([] {
    LossRows rows(1003);
    gaussian_loss(1003, rows.view());
    Floats all;
    for (const Floats& values : {rows.loss, rows.mean_slope, rows.variance_slope}) {
      all.insert(all.end(), values.begin(), values.begin() + 1003);
    }
    return all;
  });
}

}  // namespace
}  // namespace credens::math
