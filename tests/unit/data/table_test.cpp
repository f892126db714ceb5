// SPDX-License-Identifier: Apache-2.0

#include "data/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"
#include "support/temporary_folder.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

using test::parse_csv;
using test::read_all;
using test::read_table;

const std::string named_text = "age,height,2,y\n1,2,3,4\n5,6,7,8\n";
const std::string unnamed_text = "1,2,3,4\n5,6,7,8\n";

Table named() {
  return parse_csv(named_text, "t.csv", {.header = true});
}
Table unnamed() {
  return parse_csv(unnamed_text, "t.csv");
}

Matrix matrix(std::size_t rows, std::size_t cols, std::vector<double> values) {
  return {rows, cols, std::move(values)};
}

TEST(FindColumn, KnowsNames) {
  EXPECT_EQ(find_column(named(), "height"), 1U);
  EXPECT_EQ(find_column(named(), "y"), 3U);
}

TEST(FindColumn, KnowsIndicesFromBothEnds) {
  for (const Table& table : {named(), unnamed()}) {
    EXPECT_EQ(find_column(table, "0"), 0U);
    EXPECT_EQ(find_column(table, "3"), 3U);
    EXPECT_EQ(find_column(table, "-1"), 3U);
    EXPECT_EQ(find_column(table, "-4"), 0U);
  }
}

TEST(FindColumn, PrefersNames) {
  const Table table = parse_csv("a,0\n1,2\n", "t.csv", {.header = true});
  EXPECT_EQ(find_column(table, "0"), 1U);
}

TEST(FindColumn, SuggestsTheNearestName) {
  EXPECT_THAT([] { find_column(named(), "hieght"); },
              test::Fails(ErrorCode::data, "t.csv: no column \"hieght\"; did you mean height?"));
  EXPECT_THAT([] { find_column(named(), "zzzzz"); }, test::Fails(ErrorCode::data, "t.csv: no column \"zzzzz\""));
}

TEST(FindColumn, TakesANameWithOtherBlanksAroundItIfThereIsOneOnly) {
  Table table = named();
  table.names = {" a ", "b", "c", "b "};
  EXPECT_EQ(find_column(table, "a"), 0U);
  EXPECT_EQ(find_column(table, " c"), 2U);
  EXPECT_EQ(find_column(table, "b"), 1U) << "the exact name";
  EXPECT_THROW(find_column(table, " b"), Error);
}

TEST(FindColumn, SaysHowManyColumnsThereAre) {
  EXPECT_THAT([] { find_column(unnamed(), "4"); },
              test::Fails(ErrorCode::data, "t.csv: no column 4: the table has 4 columns"));
  EXPECT_THAT([] { find_column(unnamed(), "-5"); },
              test::Fails(ErrorCode::data, "t.csv: no column -5: the table has 4 columns"));
  EXPECT_THAT([] { find_column(unnamed(), "99999999999999999999"); }, test::Fails(ErrorCode::data, "t.csv: no column"));
}

TEST(FindColumn, SaysThatThereAreNoNames) {
  EXPECT_THAT([] { find_column(unnamed(), "age"); },
              test::Fails(ErrorCode::data, "t.csv: no column \"age\": the table has no header, expected an index"));
}

TEST(SelectColumns, TakesThemInOrder) {
  const std::vector<std::string> columns = {"y", "0", "y"};
  EXPECT_EQ(select_columns(named(), columns), matrix(2, 3, {4, 1, 4, 8, 5, 8}));
}

TEST(SelectColumns, RefusesOnesThatHoldNoNumbers) {
  const Table table = parse_csv("a,b,c\n1,2,\n2,x,4\n", "t.csv");
  const std::vector<std::string> columns = {"c", "b"};
  EXPECT_THAT([&] { select_columns(table, columns); }, test::Fails(ErrorCode::data, "t.csv:2:3 (c): missing value"));
}

TEST(PlaceOf, CountsFromZeroInArrays) {
  EXPECT_EQ(place_of({.source = "a.npy", .values = Matrix(2, 2)}, 1, 0), "a.npy: row 1, column 0 (counted from 0)");
  EXPECT_EQ(place_of(named(), 1, 0), "t.csv:3:1 (age)");
}

using testing::ElementsAre;
using testing::Optional;
using testing::Pair;

TEST(FirstDuplicate, GivesBothPositions) {
  EXPECT_THAT(first_duplicate(std::vector<std::string>{"a", "b", "c", "b", "a"}), Optional(Pair(1, 3)));
  EXPECT_EQ(first_duplicate(std::vector<std::string>{"a", "A", ""}), std::nullopt);
}

TEST(DefaultTargetNames, AreNumberedIfSeveral) {
  EXPECT_THAT(default_target_names(1), ElementsAre("y"));
  EXPECT_THAT(default_target_names(3), ElementsAre("y0", "y1", "y2"));
}

TEST(ControlCharacter, IsNoPartOfANameOnOneLine) {
  EXPECT_TRUE(has_control_character("a\nb"));
  EXPECT_TRUE(has_control_character("\x7f"));
  EXPECT_FALSE(has_control_character("größe 1"));
}

TEST(FieldPlace, NamesTheColumnIfItHasAName) {
  const std::vector<std::string> names = {"", "age"};
  EXPECT_EQ(field_place("t.csv", names, 17, 1), "t.csv:17:2 (age)");
  EXPECT_EQ(field_place("t.csv", names, 17, 0), "t.csv:17:1");
  EXPECT_EQ(field_place("t.csv", {}, 17, 0), "t.csv:17:1");
}

TEST(CountOf, KnowsThePlural) {
  EXPECT_EQ(count_of(1, "field"), "1 field");
  EXPECT_EQ(count_of(0, "field"), "0 fields");
}

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
