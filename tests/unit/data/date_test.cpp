// SPDX-License-Identifier: Apache-2.0

#include "data/date.hpp"

#include <gtest/gtest.h>

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

TEST(Date, IsWrittenAsItIsRead) {
  for (const char* text : {"1970-01-01", "1969-12-31", "2024-02-29", "2024-05-17T08:30:15"}) {
    EXPECT_EQ(date_text(read_date(text)->seconds), text);
  }
}

}  // namespace
}  // namespace credens::data
