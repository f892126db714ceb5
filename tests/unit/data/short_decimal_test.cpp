// SPDX-License-Identifier: Apache-2.0

#include "data/short_decimal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "data/csv_cell.hpp"

namespace credens::data {
namespace {

/// How many characters are taken, and the value.
struct Taken {
  std::size_t size = 0;
  double value = 0;
};

Taken take(const std::string& cell, const std::string& after = "\n") {
  const std::string text = cell + after + std::string(20, '9');
  Taken taken;
  const char* const last = text.data() + cell.size();
  taken.size = static_cast<std::size_t>(read_short_decimal(text.data(), last, text.data() + text.size(), taken.value) -
                                        text.data());
  return taken;
}

TEST(ShortDecimal, IsReadUpToItsEnd) {
  for (const auto& [text, value] : std::vector<std::pair<std::string, double>>{{"0", 0},
                                                                               {"7", 7},
                                                                               {"-1.5", -1.5},
                                                                               {"0.1", 0.1},
                                                                               {".25", 0.25},
                                                                               {"3.", 3},
                                                                               {"1234567.7654321", 1234567.7654321}}) {
    EXPECT_EQ(take(text).size, text.size()) << text;
    EXPECT_EQ(take(text).value, value) << text;
    EXPECT_EQ(take(text, ",").size, text.size()) << text;
  }
  EXPECT_TRUE(std::signbit(take("-0").value));
}

TEST(ShortDecimal, LeavesEverythingElseToOthers) {
  for (const std::string text :
       {"", "-", ".", "-.", "+1", "1e5", "1.5E-3", "12345678", "0.12345678", "--1", "nan", "x"}) {
    EXPECT_EQ(take(text).size, 0U) << text;
  }
}

TEST(ShortDecimal, EndsAtWhatIsNoDigit) {
  for (const char c : std::string("/:;,. \t\r\n\"x\x80\xb0\xb5\xba\xff")) {
    EXPECT_EQ(take("12.5" + std::string(1, c)).size, 4U) << c;
  }
}

TEST(ShortDecimal, DoesNotLookBeyondWhatIsReadable) {
  const std::string text = "1.5,2.5\n";
  double value = 0;
  EXPECT_EQ(read_short_decimal(text.data(), text.data() + 7, text.data() + 8, value), text.data());
}

RC_GTEST_PROP(ShortDecimal, IsTheNearestDouble, ()) {
  const auto whole = *rc::gen::inRange<std::uint32_t>(0, 10000000);
  const auto fraction = *rc::gen::inRange<std::uint32_t>(0, 10000000);
  const auto places = *rc::gen::inRange<std::size_t>(0, 8);
  std::string text = (*rc::gen::arbitrary<bool>() ? "-" : "") + std::to_string(whole) + ".";
  text += ("0000000" + std::to_string(fraction)).substr(std::to_string(fraction).size(), places);
  double expected = 0;
  RC_ASSERT(read_number(text.data(), text.data() + text.size(), expected) == text.data() + text.size());
  const Taken taken = take(text, *rc::gen::element<std::string>(",", "\n", " ", "\r\n"));
  RC_ASSERT(taken.size == text.size());
  RC_ASSERT(std::bit_cast<std::uint64_t>(taken.value) == std::bit_cast<std::uint64_t>(expected));
}

}  // namespace
}  // namespace credens::data
