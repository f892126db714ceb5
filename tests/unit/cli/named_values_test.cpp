// SPDX-License-Identifier: Apache-2.0

#include "cli/named_values.hpp"

#include <gtest/gtest.h>

#include "support/error_matchers.hpp"

namespace credens::cli {
namespace {

using test::Fails;

TEST(NamedValues, HaveANameOrStandAlone) {
  const std::vector<NamedValue> values = parse_named_values("40,flow = 3,\"a, b=c=-1e3\"");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[0].name, "");
  EXPECT_EQ(values[0].value, "40");
  EXPECT_EQ(values[1].name, "flow");
  EXPECT_EQ(values[1].value, "3");
  EXPECT_EQ(values[2].name, "a, b=c");
  EXPECT_EQ(values[2].value, "-1e3");
}

TEST(NamedValues, HaveSomethingOnBothSides) {
  EXPECT_THAT([] { parse_named_values("a=1,b="); }, Fails(ErrorCode::usage, "has nothing on one side of its equals sign"));
  EXPECT_THAT([] { parse_named_values("=1"); }, Fails(ErrorCode::usage, "has nothing on one side"));
}

}  // namespace
}  // namespace credens::cli
