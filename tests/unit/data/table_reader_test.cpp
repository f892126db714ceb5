// SPDX-License-Identifier: Apache-2.0

#include "data/table_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

constexpr std::size_t rows = 2 * block_rows + 5;

Matrix numbers() {
  Matrix values(rows, 3);
  for (std::size_t i = 0; i < values.values().size(); ++i) values.values()[i] = 0.25 * static_cast<double>(i);
  return values;
}

std::string as_text(const Matrix& values) {
  std::string text = "a,b,c\n";
  for (std::size_t row = 0; row < values.rows(); ++row) {
    text += fmt::format("{},{},{}\n", values(row, 0), values(row, 1), values(row, 2));
  }
  return text;
}

std::string as_npy(const Matrix& values) {
  std::string bytes = npy_header({values.rows(), values.cols()});
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.values().size() * sizeof(double));
}

/// The same array with the rows of a column side by side.
std::string as_fortran_npy(const Matrix& values) {
  std::string bytes = npy_header({values.rows(), values.cols()});
  bytes.replace(bytes.find("False"), 5, "True ");
  for (std::size_t col = 0; col < values.cols(); ++col) {
    for (std::size_t row = 0; row < values.rows(); ++row) {
      bytes.append(reinterpret_cast<const char*>(&values(row, col)), sizeof(double));
    }
  }
  return bytes;
}

class TableBlocks : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    base::write_file(folder_ / name, bytes);
    return folder_ / name;
  }

  /// Reads twice; blocks must be of the fixed size and know their place.
  static void expect_numbers(const std::filesystem::path& path) {
    const Matrix expected = numbers();
    TableReader reader(path);
    EXPECT_EQ(reader.header().cols(), 3U);
    EXPECT_EQ(reader.header().rows(), 0U);
    EXPECT_EQ(reader.count_rows(), rows);
    for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
      std::vector<double> values;
      std::vector<std::size_t> sizes;
      for (Table block; reader.next(block);) {
        EXPECT_EQ(block.first_row, values.size() / 3);
        EXPECT_EQ(block.names, reader.header().names);
        values.insert(values.end(), block.values.values().begin(), block.values.values().end());
        sizes.push_back(block.rows());
      }
      EXPECT_THAT(sizes, testing::ElementsAre(block_rows, block_rows, 5));
      EXPECT_TRUE(std::ranges::equal(values, expected.values())) << path;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(TableBlocks, MakeUpTheTableOfAnyFile) {
  expect_numbers(write("t.csv", as_text(numbers())));
  expect_numbers(write("t.csv.gz", test::pack(test::Archive::gzip, as_text(numbers()))));
  expect_numbers(write("t.npy", as_npy(numbers())));
  expect_numbers(write("fortran.npy", as_fortran_npy(numbers())));
  expect_numbers(write("t.npy.xz", test::pack(test::Archive::xz, as_npy(numbers()))));
}

TEST_F(TableBlocks, OfManyPortionsMakeUpTheTable) {
  std::string text;
  for (int row = 0; row < 400000; ++row) text += std::to_string(row) + ",1234567.25\n";  // two windows
  const auto path = write("t.csv", text);
  TableReader reader(path, {.threads = 2});
  std::size_t count = 0;
  for (Table block; reader.next(block);) {
    EXPECT_EQ(block.values(0, 0), static_cast<double>(count));
    count += block.rows();
    EXPECT_TRUE(block.rows() == block_rows || count == 400000U);
  }
  EXPECT_EQ(count, 400000U);
}

TEST_F(TableBlocks, NameThePlaceInTheFile) {
  std::string text = as_text(numbers());
  text += "1,x,2\n";
  TableReader reader(write("t.csv", text));
  Table block;
  const std::vector<std::size_t> second = {1};
  reader.next(block);
  EXPECT_NO_THROW(check_usable(block, second));
  reader.next(block);
  EXPECT_THAT(place_of(block, 2, 1), testing::EndsWith("t.csv:4100:2 (b)"));
  EXPECT_NO_THROW(check_usable(block, second));
  reader.next(block);
  EXPECT_THAT([&] { check_usable(block, second); },
              test::Fails(ErrorCode::data, "t.csv:8199:2 (b): \"x\" is not a number"));
}

TEST_F(TableBlocks, OfAnArrayNameItsRows) {
  Matrix values = numbers();
  values(block_rows + 1, 2) = std::numeric_limits<double>::infinity();
  TableReader reader(write("t.npy", as_npy(values)));
  Table block;
  reader.next(block);
  reader.next(block);
  EXPECT_THAT(place_of(block, 1, 2), testing::EndsWith("t.npy: row 4097, column 2 (counted from 0)"));
  EXPECT_THAT([&] { select_columns(block, std::vector<std::string>{"2"}); },
              test::Fails(ErrorCode::data, "row 4097, column 2 (counted from 0) is inf"));
}

TEST_F(TableBlocks, RefuseColumnsWhoseFaultHasPassed) {
  std::string text = as_text(numbers());
  text.replace(text.find("\n0,") + 1, 1, "x");
  TableReader reader(write("t.csv", text));
  const std::vector<std::size_t> first = {0};
  for (Table block; reader.next(block);) {
    EXPECT_THAT([&] { check_usable(block, first); }, test::Fails(ErrorCode::data, "t.csv:2:1 (a): \"x\""));
  }
}

}  // namespace
}  // namespace credens::data
