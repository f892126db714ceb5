// SPDX-License-Identifier: Apache-2.0

#include "data/looks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace credens::data {
namespace {

using ::testing::StartsWith;
using Words = std::vector<std::string>;

TEST(LookOf, NamesWhatWordsLookLike) {
  EXPECT_EQ(look_of(Words{"12%", "3.5 %", "?"}),
            "look like numbers with a percent sign, such as \"12%\", which are words as long as it stands there");
  EXPECT_THAT(look_of(Words{"$5", "1,234 €"}), StartsWith("look like amounts with a currency sign"));
  for (const char* number : {"1 234.5", "12 345 678", "1\u202f234", "1'234,5", "-1 234"}) {
    EXPECT_THAT(look_of(Words{number}), StartsWith("look like numbers with separated thousands")) << number;
  }
  for (const char* date : {"17.05.2024", "5/17/2024", "17.5.24", "2024/05/17", "2024-5-17", "17.05.2024 08:30",
                           "2024-05-17T08:30:00 Europe/Berlin"}) {
    EXPECT_THAT(look_of(Words{date}), StartsWith("look like dates")) << date;
  }
  for (const char* time : {"08:30", "8:30:15", "8:30 pm"}) {
    EXPECT_THAT(look_of(Words{time}), StartsWith("look like times of day")) << time;
  }
}

TEST(LookOf, SaysNothingOfWords) {
  for (const char* word :
       {"red", "A 12", "12 mm", "1 23", "1.2", "1.2.3", "10.0.0.1", "4-5", "%", "$", "12:3", "1 234 567 89"}) {
    EXPECT_EQ(look_of(Words{word}), "") << word;
  }
  EXPECT_EQ(look_of(Words{"17.05.2024", "soon"}), "") << "half of them";
  EXPECT_EQ(look_of(Words{}), "");
}

TEST(MeasurementOf, NamesWhatWordsOfATargetLookLike) {
  EXPECT_EQ(measurement_of(Words{"12 %", "3,5 %", "?"}), "numbers with a percent sign, such as \"12 %\"");
  EXPECT_THAT(measurement_of(Words{"8:30", "12:05"}), StartsWith("times of day"));
  EXPECT_EQ(measurement_of(Words{"n.d.", "12.5", "-3"}), "numbers, such as \"12.5\"");
  EXPECT_EQ(measurement_of(Words{"low", "high", "3"}), "");
  EXPECT_EQ(measurement_of(Words{"<=50K", ">50K"}), "");
  EXPECT_EQ(measurement_of(Words{"0", "1"}), "") << "numbers that somebody made words";
  EXPECT_EQ(measurement_of(Words{}), "");
}

}  // namespace
}  // namespace credens::data
