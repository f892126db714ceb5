// SPDX-License-Identifier: Apache-2.0

#include "data/npy_reader.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/file.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using Shape = std::vector<std::size_t>;

std::vector<double> counted(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
  return values;
}

class SlicesOfAFile : public testing::Test {
 protected:
  NpySlices written(const Shape& shape) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    write_npy(path_, {shape, counted(count)});
    return NpySlices(path_);
  }

  /// The array's values in the order in which the first index runs fastest, as floats.
  NpySlices written_by_columns(const Shape& shape) {
    std::string bytes = npy_header(shape);
    bytes.replace(bytes.find("<f8"), 3, "<f4");
    bytes.replace(bytes.find("False"), 5, "True ");
    for (std::size_t j = 0; j < shape[2]; ++j) {
      for (std::size_t i = 0; i < shape[1]; ++i) {
        for (std::size_t l = 0; l < shape[0]; ++l) {
          const auto value = static_cast<float>((l * shape[1] + i) * shape[2] + j);
          char item[sizeof value];
          std::memcpy(item, &value, sizeof value);
          bytes.append(item, sizeof value);
        }
      }
    }
    base::write_file(path_, bytes);
    return NpySlices(path_);
  }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "array.npy";
};

void expect_slices(NpySlices slices, const Shape& shape) {
  EXPECT_EQ(slices.shape(), shape);
  Matrix rows;
  for (const auto& [first, count] : {std::pair{0, 7}, {3, 2}, {6, 1}, {0, 0}}) {
    for (std::size_t l = 0; l < shape[0]; ++l) {
      slices.read(l, static_cast<std::size_t>(first), static_cast<std::size_t>(count), rows);
      ASSERT_EQ(rows.rows(), static_cast<std::size_t>(count));
      ASSERT_EQ(rows.cols(), shape[2]);
      for (std::size_t i = 0; i < rows.rows(); ++i) {
        for (std::size_t j = 0; j < rows.cols(); ++j) {
          const std::size_t row = static_cast<std::size_t>(first) + i;
          EXPECT_EQ(rows(i, j), static_cast<double>((l * shape[1] + row) * shape[2] + j));
        }
      }
    }
  }
}

TEST_F(SlicesOfAFile, AreTheRowsOfEachSlab) {
  expect_slices(written({3, 7, 4}), {3, 7, 4});
}

TEST_F(SlicesOfAFile, AreTheSameWhateverTheOrderAndTheType) {
  expect_slices(written_by_columns({3, 7, 4}), {3, 7, 4});
}

TEST_F(SlicesOfAFile, AreRowsOfOneSlabForMatricesAndVectors) {
  Matrix rows;
  written({5, 2}).read(0, 3, 2, rows);
  EXPECT_EQ(rows, Matrix(2, 2, std::vector<double>{6, 7, 8, 9}));
  written({5}).read(0, 1, 2, rows);
  EXPECT_EQ(rows, Matrix(2, 1, std::vector<double>{1, 2}));
}

TEST_F(SlicesOfAFile, AreRefusedForOtherRanks) {
  EXPECT_THAT([&] { written({1, 1, 1, 1}); }, test::Fails(ErrorCode::data, "array.npy: an array of rank 4"));
  EXPECT_THAT([&] { written({}); }, test::Fails(ErrorCode::data, "an array of rank 0"));
  EXPECT_THAT([&] { NpySlices(folder_ / "none.npy"); }, test::Fails(ErrorCode::io, "none.npy: cannot open"));
}

}  // namespace
}  // namespace credens::data
