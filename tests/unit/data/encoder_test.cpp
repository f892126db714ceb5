// SPDX-License-Identifier: Apache-2.0

#include "data/encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/aligned.hpp"
#include "base/random.hpp"

namespace credens::data {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

std::vector<float> encoded(const Encoder& encoder, const Matrix& rows, Encoded* result = nullptr) {
  base::AlignedVector<float> out(rows.rows() * 16, -7.0F);
  const Encoded found = encode(encoder, rows, out.data(), 16);
  EXPECT_TRUE(found.in_range);
  if (result != nullptr) *result = found;
  return {out.begin(), out.end()};
}

/// A row must not depend on the rows that it is encoded with: those with a missing number take another way.
TEST(Encoder, GivesNumbersTheSameBitsBesideMissingOnes) {
  base::RandomStream random({.seed = 3, .purpose = base::Purpose::test});
  const Encoder encoder(
      Scaler{.shift = {0.1, 3, -2}, .scale = {0.7, 11, 1e-3}, .centre = {0, 1, 0}, .width = {0, 2, 0}});
  Matrix rows(50, 3);
  for (double& value : rows.values()) value = 5 * random.normal();
  const std::vector<float> alone = encoded(encoder, rows);
  Matrix with_gap = rows;
  with_gap(49, 1) = gap;
  Encoded result;
  const std::vector<float> beside = encoded(encoder, with_gap, &result);
  EXPECT_TRUE(result.has_missing);
  for (std::size_t i = 0; i < 49 * 16; ++i) EXPECT_EQ(alone[i], beside[i]) << i;
  EXPECT_TRUE(std::isnan(beside[49 * 16 + 1]));
}

TEST(Encoder, PutsNumbersThenFlagsThenCodes) {
  const Encoder encoder(identity_scaler(4), {{.kind = ColumnKind::category, .codes = {0, 2, 1}, .learned = 2},
                                             {.kind = ColumnKind::number, .flags_missing = true},
                                             {.kind = ColumnKind::date, .cycles = {Cycle::day}},
                                             {.kind = ColumnKind::category, .codes = {0}, .learned = 1}});
  EXPECT_EQ(encoder.numbers(), 2U);
  EXPECT_EQ(encoder.flags(), 3U);
  EXPECT_EQ(encoder.width(), 7U);
  EXPECT_EQ(encoder.tables(), (std::vector<LevelTable>{{5, 4}, {4, 3}}));
  Encoded result;
  const std::vector<float> row =
      encoded(encoder, Matrix(3, 4, {1, 5, 21600, 0, gap, gap, 86400, 1, 3, 6, gap, gap}), &result);
  const auto at = [&](std::size_t i) {
    return std::vector<float>(row.begin() + static_cast<std::ptrdiff_t>(16 * i),
                              row.begin() + static_cast<std::ptrdiff_t>(16 * i + 8));
  };
  EXPECT_FLOAT_EQ(row[3], 1);  // a quarter of a day
  EXPECT_NEAR(row[4], 0, 1e-6);
  EXPECT_EQ(row[0], 5.0F);
  EXPECT_EQ(row[2], 0.0F);
  EXPECT_EQ(row[5], 2.0F);  // a level that is rare
  EXPECT_EQ(row[6], 0.0F);
  EXPECT_EQ(at(1), (std::vector<float>{0, 86400, 1, 0, 1, 3, 3, 0}));  // missing, flagged; missing word; never seen
  EXPECT_EQ(row[32], 6.0F);
  EXPECT_TRUE(std::isnan(row[33]));
  EXPECT_EQ(row[37], 4.0F);  // never seen
  EXPECT_EQ(row[38], 2.0F);  // missing
  EXPECT_TRUE(result.has_missing);
}

TEST(Encoder, TellsTheDaysOfAWeekApart) {
  const Encoder encoder(identity_scaler(1), {{.kind = ColumnKind::date, .cycles = {Cycle::week}}});
  EXPECT_EQ(encoder.flags(), 6U);
  Matrix days(7, 1);
  for (std::size_t day = 0; day < 7; ++day) days(day, 0) = 86400.0 * static_cast<double>(day);
  const std::vector<float> rows = encoded(encoder, days);
  // Waves are orthogonal, so that every pattern of seven days is a weighted sum of them and a constant.
  for (std::size_t a = 1; a < 7; ++a) {
    for (std::size_t b = 1; b <= a; ++b) {
      double product = 0;
      for (std::size_t day = 0; day < 7; ++day) product += double{rows[16 * day + a]} * double{rows[16 * day + b]};
      EXPECT_NEAR(product, a == b ? 3.5 : 0, 1e-5) << a << " " << b;
    }
  }
}

TEST(Encoder, LooksUpDaysOfTheCalendar) {
  std::vector<std::uint32_t> days(366, 2);
  days[0] = 1;    // 1 March
  days[365] = 0;  // 29 February
  const Encoder encoder(identity_scaler(2), {{.kind = ColumnKind::date, .codes = days, .learned = 2},
                                             {.kind = ColumnKind::category, .codes = {0}, .learned = 1}});
  EXPECT_EQ(encoder.numbers(), 1U);
  EXPECT_EQ(encoder.width(), 3U);
  EXPECT_EQ(encoder.tables(), (std::vector<LevelTable>{{5, 4}, {4, 3}}));
  const double leap_day = 951782400;  // 2000-02-29
  const std::vector<float> rows = encoded(
      encoder, Matrix(5, 2, {leap_day, 0, leap_day + 86400, 0, leap_day - 1, 0, leap_day + 366 * 86400, 0, gap, 0}));
  const float codes[] = {0, 1, 2, 1, 3};
  for (std::size_t row = 0; row < 5; ++row) EXPECT_EQ(rows[16 * row + 1], codes[row]) << row;
  EXPECT_TRUE(std::isnan(rows[16 * 4]));
}

TEST(Encoder, RefusesWhatIsTooFar) {
  Encoder encoder(identity_scaler(2));
  Matrix rows(2, 2, {0, gap, 0, 1e31});
  base::AlignedVector<float> out(32);
  EXPECT_FALSE(encode(encoder, rows, out.data(), 16).in_range);
  EXPECT_EQ(refused_cell(encoder, rows), (std::pair<std::size_t, std::size_t>{1, 1}));
  rows(1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(encode(encoder, rows, out.data(), 16).in_range);
}

}  // namespace
}  // namespace credens::data
