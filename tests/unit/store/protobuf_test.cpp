// SPDX-License-Identifier: Apache-2.0

#include "store/protobuf.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "unit/store/protobuf_reader.hpp"

namespace credens::store {
namespace {

using namespace std::string_literals;

std::string number_field(std::uint32_t field, std::int64_t value) {
  ProtobufMessage message;
  message.add(field, value);
  return message.bytes();
}

// The expected bytes are those that protoc writes for these fields, by its documented encoding.
TEST(Protobuf, WritesWholeNumbersInGroupsOfSevenBits) {
  EXPECT_EQ(number_field(1, 0), "\x08\x00"s);
  EXPECT_EQ(number_field(1, 127), "\x08\x7F"s);
  EXPECT_EQ(number_field(1, 128), "\x08\x80\x01"s);
  EXPECT_EQ(number_field(1, 150), "\x08\x96\x01"s);
  EXPECT_EQ(number_field(1, 300), "\x08\xAC\x02"s);
}

TEST(Protobuf, WritesNegativeNumbersInTenBytes) {
  EXPECT_EQ(number_field(1, -1), "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"s);
}

TEST(Protobuf, WritesTheNumbersOfFieldsBeyondFifteenInTwoBytes) {
  EXPECT_EQ(number_field(15, 1), "\x78\x01"s);
  EXPECT_EQ(number_field(16, 1), "\x80\x01\x01"s);
  EXPECT_EQ(number_field(20, 2), "\xA0\x01\x02"s);
}

TEST(Protobuf, WritesTextBehindItsLength) {
  ProtobufMessage message;
  message.add(2, "testing");
  EXPECT_EQ(message.bytes(), "\x12\x07testing"s);
  ProtobufMessage empty;
  empty.add(2, "");
  EXPECT_EQ(empty.bytes(), "\x12\x00"s);
}

TEST(Protobuf, WritesMessagesInMessages) {
  ProtobufMessage inner;
  inner.add(1, 150);
  ProtobufMessage outer;
  outer.add(3, inner);
  EXPECT_EQ(outer.bytes(), "\x1A\x03\x08\x96\x01"s);
}

TEST(Protobuf, ReadsBackAsItWasWritten) {
  const std::string long_text(300, 'x');
  ProtobufMessage message;
  message.add(7, std::numeric_limits<std::int64_t>::min());
  message.add(9, long_text);
  message.add(7, std::numeric_limits<std::int64_t>::max());
  const ProtobufFields fields(message.bytes());
  ASSERT_EQ(fields.all(7).size(), 2U);
  EXPECT_EQ(fields.all(7)[0].value, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(fields.all(7)[1].value, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(fields.text(9), long_text);
}

}  // namespace
}  // namespace credens::store
