// SPDX-License-Identifier: Apache-2.0

#include "data/table_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

const Matrix expected(2, 2, std::vector<double>{1, 2, 3, 4});

std::string npy_bytes(const std::vector<std::size_t>& shape, const std::vector<double>& values) {
  std::string bytes = npy_header(shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

class TableFiles : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    base::write_file(folder_ / name, bytes);
    return folder_ / name;
  }

  test::TemporaryFolder folder_;
};

TEST_F(TableFiles, MayBeCompressedWhateverTheirName) {
  for (const auto kind : {test::Archive::none, test::Archive::gzip, test::Archive::xz, test::Archive::zstd}) {
    EXPECT_EQ(read_table(write("t.csv", test::pack(kind, "1,2\n3,4\n"))).values, expected);
  }
}

TEST_F(TableFiles, MayBeArrays) {
  const std::string bytes = npy_bytes({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(read_table(write("t.npy", bytes)).values, expected);
  EXPECT_EQ(read_table(write("t.npy.xz", test::pack(test::Archive::xz, bytes))).values, expected);
  EXPECT_EQ(read_table(write("without_extension", bytes)).values, expected);
  EXPECT_EQ(read_table(write("column.npy", npy_bytes({2}, {5, 6}))).values, Matrix(2, 1, std::vector<double>{5, 6}));
}

TEST_F(TableFiles, AreReadAsTheKindThatIsAskedFor) {
  const auto read_as = [](const std::filesystem::path& path, FileKind kind) {
    return read_all(*open_table(path, {}, kind)).values;
  };
  EXPECT_EQ(read_as(write("t.npy", "1,2\n3,4\n"), FileKind::text), expected);
  EXPECT_EQ(read_as(write("t.csv", npy_bytes({2, 2}, {1, 2, 3, 4})), FileKind::npy), expected);
  EXPECT_THAT([&] { read_table(write("t.npy", "1,2\n3,4\n")); },
              test::Fails(ErrorCode::data, "t.npy: not a NumPy array"));
  EXPECT_THAT([&] { read_as(write("a.npy", npy_bytes({1}, {1})), FileKind::text); },
              test::Fails(ErrorCode::data, "binary data"));
}

TEST_F(TableFiles, RefuseArraysThatAreNoTables) {
  EXPECT_THAT(
      [&] {
        read_table(write("a.npy", npy_bytes({1, 2, 1}, {1, 2})));
      },
      test::Fails(ErrorCode::data, "a.npy: an array of rank 3, expected [rows] or [rows, columns]"));
  EXPECT_THAT([&] { read_table(write("b.npy", npy_bytes({}, {1}))); },
              test::Fails(ErrorCode::data, "b.npy: an array of rank 0"));
  EXPECT_THAT(
      [&] {
        read_table(write("c.npy", npy_bytes({0, 3}, {})));
      },
      test::Fails(ErrorCode::data, "c.npy: 0 rows and 3 columns, expected at least one of each"));
  EXPECT_THAT([&] { read_table(write("d.npy", npy_bytes({1}, {1})), {.header = true}); },
              test::Fails(ErrorCode::usage, "d.npy: an array has neither header nor delimiter, but one was given"));
}

TEST_F(TableFiles, RefuseValuesOfArraysThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Table table = read_table(write("a.npy", npy_bytes({3, 2}, {1, 2, 3, inf, nan, 6})));
  const std::vector<std::size_t> both = {0, 1};
  const std::vector<std::size_t> left = {0};
  EXPECT_THAT([&] { take_columns(table, both); },
              test::Fails(ErrorCode::data, "a.npy: row 1, column 1 (counted from 0) is inf, expected a finite number"));
  EXPECT_THAT([&] { take_columns(table, left); },
              test::Fails(ErrorCode::data, "a.npy: row 2, column 0 (counted from 0) is nan, expected a finite number"));
}

TEST_F(TableFiles, NameTheFileInTheirSentences) {
  const auto path = write("t.csv", "1,2\n3\n");
  EXPECT_THAT([&] { read_table(path); }, test::Fails(ErrorCode::data, path.string() + ":2: 1 field, expected 2"));
  EXPECT_THAT([&] { read_table(folder_ / "absent.csv"); }, test::Fails(ErrorCode::io, "absent.csv"));
  EXPECT_THAT([&] { read_table(folder_.path()); }, test::Fails(ErrorCode::io, "folder"));
}

}  // namespace
}  // namespace credens::data
