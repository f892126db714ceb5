// SPDX-License-Identifier: Apache-2.0

#include "study/year_shape.hpp"

#include <map>

#include <gtest/gtest.h>

#include "study/published.hpp"
#include "support/error_matchers.hpp"

namespace credens::study {
namespace {

TEST(YearShape, HasYearsColumnsAndItsShareOfTrainingRows) {
  const Parts parts = make_year_shape(1000);
  EXPECT_EQ(parts.train->rows(), 900);
  EXPECT_EQ(parts.test->rows(), 100);
  EXPECT_EQ(parts.train->inputs().cols(), 90);
  EXPECT_EQ(make_year_shape(1000).test->fingerprint(), parts.test->fingerprint());
  EXPECT_THAT([] { make_year_shape(3); }, test::Fails(ErrorCode::usage, "3 rows"));
}

TEST(YearShapeRun, MeasuresTimeAndMemoryAndIsNeverTakenForYear) {
  std::map<std::string, double> values;
  for (const Measurement& measurement : year_shape_run(60).work({})) {
    EXPECT_EQ(measurement.key.data, "year-synthetic");
    EXPECT_EQ(measurement.key.rows, 54);
    EXPECT_EQ(published("table2", measurement.key), std::nullopt);
    if (measurement.key.members == 10) values[measurement.key.metric] = measurement.value;
  }
  EXPECT_GT(values["seconds"], 0);
  EXPECT_NEAR(values["rows_per_second"] * values["seconds"], 54 * 40 * 10, 1e-6) << "rows, epochs, members";
  EXPECT_GT(values["peak_megabytes"], 1);
  EXPECT_LT(values["peak_megabytes"], 1e6);
  EXPECT_TRUE(values.contains("rmse"));
}

TEST(YearShapeRun, SettingsNameItsRows) {
  EXPECT_NE(year_shape_run(60).settings, year_shape_run(70).settings);
  EXPECT_NE(year_shape_run(60).name, year_shape_run(70).name);
}

}  // namespace
}  // namespace credens::study
