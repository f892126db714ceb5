// SPDX-License-Identifier: Apache-2.0

#include "data/npy_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "data/table_files.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using namespace std::string_literals;
using test::Fails;

const std::vector<std::string> names = {"a", "größe in m²", "価格", "😀 ok"};

std::string array(std::size_t rows, std::size_t cols) {
  return npy_header({rows, cols}) + std::string(rows * cols * sizeof(double), '\0');
}

TEST(NpyNames, ComeBack) {
  EXPECT_EQ(parse_npy_names(npy_names(names), 4, "x"), names);
  EXPECT_EQ(parse_npy_names(npy_names({""}), 1, "x"), std::vector{""s});
}

TEST(NpyNames, AreTextAsNumPyHasIt) {
  const std::string bytes = npy_names({"a", "bc"});
  EXPECT_THAT(bytes, testing::HasSubstr("'descr': '<U2', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_EQ(bytes.substr(bytes.size() - 16), "a\0\0\0\0\0\0\0b\0\0\0c\0\0\0"s);
}

TEST(NpyNames, AreThoseOfATable) {
  const test::TemporaryFolder folder;
  base::write_file(folder / "t.npy", array(3, 4) + npy_names(names));
  const Table table = read_table(folder / "t.npy");
  EXPECT_EQ(table.names, names);
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(find_column(table, "価格"), 2U);
}

TEST(NpyNames, ThatAreNoneAreRefused) {
  const test::TemporaryFolder folder;
  const auto reading = [&](const std::string& rest) {
    return [&folder, rest] {
      base::write_file(folder / "t.npy", array(3, 4) + rest);
      read_table(folder / "t.npy");
    };
  };
  EXPECT_THAT(reading(npy_names({"a", "b"})), Fails(ErrorCode::data, "2 names for 4 columns"));
  EXPECT_THAT(reading(npy_names({"a", "b", "c", "a"})), Fails(ErrorCode::data, "columns 0 and 3 are both named"));
  EXPECT_THAT(reading(npy_names({"a", "b", "c", "d\n"})), Fails(ErrorCode::data, "is no text"));
  EXPECT_THAT(reading("rest"), Fails(ErrorCode::data, "4 bytes behind the values that are no names of 4 columns"));
  EXPECT_THAT(reading(array(4, 1)), Fails(ErrorCode::data, "no names of 4 columns"));
  EXPECT_THAT(reading(npy_names(names) + "x"), Fails(ErrorCode::data, "no names of 4 columns"));
  EXPECT_THAT(reading(npy_header({4}, "<U1") + "\0\0\x11\0"s + std::string(12, 'a')),
              Fails(ErrorCode::data, "is no text"));
  EXPECT_THAT(reading(npy_header({4}, "<U99999999999") + "abcd"), Fails(ErrorCode::data, "no names of 4 columns"));
  const std::string whole = npy_names(names);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    EXPECT_THAT(reading(whole.substr(0, size)), Fails(ErrorCode::data, "t.npy")) << size;
  }
}

}  // namespace
}  // namespace credens::data
