// SPDX-License-Identifier: Apache-2.0

#include "data/npy_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/npy.hpp"
#include "support/error_matchers.hpp"

namespace credens::data {
namespace {

using test::Fails;

const NpyColumns mixed{.names = {"x", "colour", "when"},
                       .kinds = {ColumnKind::number, ColumnKind::category, ColumnKind::date},
                       .levels = {{}, {"red", "a b", "größe", ""}, {}}};

TEST(NpyWords, ComeBack) {
  const NpyColumns read = parse_npy_columns(npy_columns(mixed), 3, "t.npy");
  EXPECT_EQ(read.names, mixed.names);
  EXPECT_EQ(read.kinds, mixed.kinds);
  EXPECT_EQ(read.levels, mixed.levels);
  NpyColumns unnamed = mixed;
  unnamed.names.clear();
  EXPECT_TRUE(parse_npy_columns(npy_columns(unnamed), 3, "t.npy").names.empty());
}

TEST(NpyWords, OfNumbersAloneAreTheNames) {
  const NpyColumns numbers{.names = {"a", "b"}, .kinds = {ColumnKind::number, ColumnKind::number}};
  EXPECT_EQ(npy_columns(numbers), npy_texts({"a", "b"}));
  EXPECT_EQ(npy_columns({}), "");
}

TEST(NpyWords, ThatAreDamagedAreRefused) {
  const std::string whole = npy_columns(mixed);
  const std::size_t names_alone = npy_texts(mixed.names).size();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    if (size == names_alone) continue;  // a file of numbers
    EXPECT_THAT([&] { parse_npy_columns(whole.substr(0, size), 3, "t.npy"); }, Fails(ErrorCode::data, "t.npy")) << size;
  }
  EXPECT_THAT([&] { parse_npy_columns(whole + "x", 3, "t.npy"); }, Fails(ErrorCode::data, "1 bytes behind the last"));
  const auto with = [&](std::vector<std::string> kinds, const std::string& rest) {
    return [=] { parse_npy_columns(npy_texts(mixed.names) + npy_texts(kinds) + rest, 3, "t.npy"); };
  };
  const auto words = [](std::string bytes) { return npy_header({bytes.size()}, "|u1") + bytes; };
  const std::vector<std::string> kinds = {"number", "category", "date"};
  EXPECT_THAT(with({"number", "colour", "date"}, ""), Fails(ErrorCode::data, "colour"));
  EXPECT_THAT(with(kinds, words(std::string("a\0b", 3))), Fails(ErrorCode::data, "holds no words"));
  EXPECT_THAT(with(kinds, words(std::string("a\0a\0", 4))), Fails(ErrorCode::data, "\"a\" stands twice"));
  EXPECT_THAT(with(kinds, words(std::string("\xff\0", 2))), Fails(ErrorCode::data, "is not UTF-8"));
  EXPECT_THAT(with(kinds, npy_header({1}) + "12345678"), Fails(ErrorCode::data, "holds no words"));
}

TEST(NpyCodes, BecomeThoseOfTheReader) {
  const NpyCodes codes(mixed,
                       {{}, {.kind = ColumnKind::category, .levels = {"größe", "red"}, .takes_new_levels = false}, {}});
  std::vector<double> rows = {7, 0, 8, 7, 1, 8, 7, 2, 8, 7, NAN, 8};
  codes.translate(rows);
  EXPECT_THAT((std::vector{rows[1], rows[4], rows[7]}), testing::ElementsAre(1, 2, 0));
  EXPECT_TRUE(std::isnan(rows[10]));
  EXPECT_EQ(rows[0] + rows[2], 15);
}

TEST(NpyCodes, MayBeNew) {
  const NpyCodes codes(mixed, {{}, {.kind = ColumnKind::category, .levels = {"blue"}}, {}});
  EXPECT_EQ(codes.levels(1), (std::vector<std::string>{"blue", "red", "a b", "größe", ""}));
  std::vector<double> row = {0, 2, 0};
  codes.translate(row);
  EXPECT_EQ(row[1], 3);
}

}  // namespace
}  // namespace credens::data
