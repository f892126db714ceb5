// SPDX-License-Identifier: Apache-2.0

#include "data/date.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

struct Known {
  const char* text;
  double seconds;  ///< as Python's datetime.timestamp gives them in UTC
  bool has_zone;
};

TEST(Date, IsReadInEveryForm) {
  const Known known[] = {{"1970-01-01", 0, false},
                         {"1969-12-31", -86400, false},
                         {"2024-02-29", 1709164800, false},
                         {"2024-05-17T08:30", 1715934600, false},
                         {"2024-05-17 08:30:15", 1715934615, false},
                         {"2024-05-17T08:30:15.25", 1715934615.25, false},
                         {"2024-05-17T08:30:15Z", 1715934615, true},
                         {"2024-05-17T08:30:15+02:00", 1715927415, true},
                         {"2024-05-17T08:30:15-0530", 1715954415, true},
                         {"0001-01-01", -62135596800, false}};
  for (const Known& date : known) {
    const auto read = read_date(date.text);
    ASSERT_TRUE(read) << date.text;
    EXPECT_DOUBLE_EQ(read->seconds, date.seconds) << date.text;
    EXPECT_EQ(read->has_zone, date.has_zone) << date.text;
  }
}

TEST(Date, IsNotReadWhereItIsNone) {
  for (const char* text :
       {"", "2024", "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "17.05.2024", "2024-05-17T",
        "2024-05-17T24:00", "2024-05-17T08:60", "2024-05-17X08:30", "2024-05-17T08:30:15.", "2024-05-17T08:30:15+25:00",
        "2024-05-17T08:30:15 here", "20240517", "2024-05-17T08"}) {
    EXPECT_FALSE(read_date(text)) << text;
  }
}

/// Every day of 800 years, against the calendar of the standard library.
TEST(Date, HasTheSameCalendarDayInAllYears) {
  using namespace std::chrono;
  constexpr unsigned before[] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};  // days since 1 March
  for (sys_days day = sys_days{1600y / January / 1}; day < sys_days{2400y / January / 1}; day += days{1}) {
    const year_month_day date{day};
    const auto expected = before[static_cast<unsigned>(date.month()) - 1] + static_cast<unsigned>(date.day()) - 1;
    const double seconds = 86400.0 * static_cast<double>(day.time_since_epoch().count());
    ASSERT_EQ(calendar_day(seconds), expected) << date_text(seconds);
    ASSERT_EQ(calendar_day(seconds + 86399), expected) << date_text(seconds);
  }
}

/// The environment is that of this process alone.
TEST(Date, OfTodayIsThatOfSourceDateEpochWhereThisIsSet) {
  setenv("SOURCE_DATE_EPOCH", "1772409599", 1);
  EXPECT_EQ(today(), "2026-03-01") << "a second before midnight, in UTC";
  for (const char* wrong : {"", "soon", "-1", "1e9", "999999999999999"}) {
    setenv("SOURCE_DATE_EPOCH", wrong, 1);
    EXPECT_THAT([] { today(); }, test::Fails(ErrorCode::usage, "SOURCE_DATE_EPOCH is")) << wrong;
  }
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_TRUE(read_date(today()).has_value());
}

TEST(Date, IsWrittenAsItIsRead) {
  for (const char* text : {"1970-01-01", "1969-12-31", "2024-02-29", "2024-05-17T08:30:15"}) {
    EXPECT_EQ(date_text(read_date(text)->seconds), text);
  }
  EXPECT_EQ(date_text(0, true), "1970-01-01T00:00:00Z");
  EXPECT_EQ(date_text(read_date("2024-05-17T08:30:15+02:00")->seconds, true), "2024-05-17T06:30:15Z");
}

}  // namespace
}  // namespace credens::data
