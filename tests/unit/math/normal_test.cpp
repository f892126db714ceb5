// SPDX-License-Identifier: Apache-2.0

#include "math/normal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "support/reference.hpp"

namespace credens::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Normal, AgreesWithRecordedValuesFarIntoTheTails) {
  const std::map<std::string, double (*)(double)> functions = {
      {"cdf", normal_cdf}, {"survival", normal_survival}, {"density", normal_density}, {"quantile", normal_quantile}};
  for (const auto& line : test::reference_lines("normal.csv")) {
    const double argument = std::strtod(line[1].c_str(), nullptr);
    const double expected = std::strtod(line[2].c_str(), nullptr);
    // The argument's last bit alone moves a tail probability by the fraction z^2 epsilon.
    const double conditioning = line[0] == "quantile" ? 4 : 4 + argument * argument;
    const double tolerance = conditioning * std::numeric_limits<double>::epsilon() * std::abs(expected);
    EXPECT_NEAR(functions.at(line[0])(argument), expected, tolerance) << line[0] << " of " << line[1];
  }
}

TEST(Normal, CdfAndSurvivalMirrorEachOther) {
  for (double z = -40; z <= 40; z += 0.37) EXPECT_EQ(normal_cdf(z), normal_survival(-z));
}

TEST(Normal, HasLimits) {
  EXPECT_EQ(normal_cdf(-infinity), 0);
  EXPECT_EQ(normal_cdf(infinity), 1);
  EXPECT_EQ(normal_survival(-infinity), 1);
  EXPECT_EQ(normal_survival(infinity), 0);
  EXPECT_EQ(normal_density(infinity), 0);
  EXPECT_EQ(normal_quantile(0), -infinity);
  EXPECT_EQ(normal_quantile(1), infinity);
}

TEST(Normal, PassesNotANumberOn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(normal_cdf(nan)));
  EXPECT_TRUE(std::isnan(normal_density(nan)));
  EXPECT_TRUE(std::isnan(normal_quantile(nan)));
}

TEST(NormalQuantile, InvertsTheCdf) {
  for (double p = 1e-300; p < 0.5; p *= 7) {
    EXPECT_NEAR(normal_cdf(normal_quantile(p)), p, 1e-12 * p);
    EXPECT_NEAR(normal_survival(-normal_quantile(p)), p, 1e-12 * p);
  }
}

TEST(NormalQuantile, IsOddAboutOneHalf) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  for (const double p : {0x1p-3, 0x1p-7, 0x1p-20, 0x1p-50}) EXPECT_EQ(normal_quantile(p), -normal_quantile(1 - p));
}

TEST(NormalLogDensity, IsTheLogOfTheDensity) {
  for (const double z : {-5.0, -0.3, 0.0, 2.0}) {
    EXPECT_NEAR(normal_log_density(3 + 2 * z, 3, 4), std::log(normal_density(z) / 2), 1e-14 * 20);
  }
}

TEST(NormalLogDensity, StaysFiniteWhereTheDensityUnderflows) {
  EXPECT_NEAR(normal_log_density(1000, 0, 1), -0.5 * 1e6 - 0.5 * log_two_pi, 1e-9);
  EXPECT_NEAR(normal_log_density(1e200, 0, 1e300) / -5e99, 1, 1e-14);
}

}  // namespace
}  // namespace credens::math
