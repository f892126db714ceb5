// SPDX-License-Identifier: Apache-2.0

#include "data/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/table.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"

namespace credens::data {
namespace {

using test::parse_csv;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsNan;

/// Parses and uses every column.
Table parse(std::string_view text, const TableFormat& format = {}) {
  Table table = parse_csv(text, "t.csv", format);
  std::vector<std::size_t> columns(table.cols());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  check_usable(table, columns);
  return table;
}

std::string sentence(std::string_view text, const TableFormat& format = {}) {
  try {
    parse(text, format);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return "no error";
}

TEST(ParseCsv, ReadsNamesAndNumbers) {
  const Table table = parse("a,b,c\n1,2.5,-3e2\n4,5,6\n");
  EXPECT_THAT(table.names, ElementsAre("a", "b", "c"));
  EXPECT_EQ(table.values, Matrix(2, 3, std::vector<double>{1, 2.5, -300, 4, 5, 6}));
  EXPECT_EQ(table.source, "t.csv");
}

TEST(ParseCsv, ReadsAllWaysOfWriting) {
  const Matrix expected(2, 2, std::vector<double>{1, 2, 3, 4});
  for (const std::string text : {"1,2\n3,4", "1,2\r\n3,4\r\n", "1;2\n3;4\n", "1\t2\n3\t4\n", " 1  2 \n3 \t4\n",
                                 "\xef\xbb\xbf"
                                 "1,2\n3,4\n",
                                 "\"1\",\"2\"\n3,\" 4 \"\n", "+1,2\n 3 , 4 \n", "1,2\n3,4\n\n  \n\r\n", "1,2\n3,4\r"}) {
    const Table table = parse(text);
    EXPECT_EQ(table.values, expected) << text;
    EXPECT_TRUE(table.names.empty()) << text;
  }
}

TEST(ParseCsv, ReadsASingleColumn) {
  EXPECT_EQ(parse("y\n1\n2\n").values, Matrix(2, 1, std::vector<double>{1, 2}));
  EXPECT_THAT(parse("my target\n1\n2\n").names, ElementsAre("my target"));
}

TEST(ParseCsv, ReadsASingleRow) {
  EXPECT_EQ(parse("1 2 3").values, Matrix(1, 3, std::vector<double>{1, 2, 3}));
}

TEST(ParseCsv, KeepsNamesAsTheyAreMeant) {
  EXPECT_THAT(parse("\"5\"\" pipe\", größe ,\"a,b\"\n1,2,3\n").names, ElementsAre("5\" pipe", "größe", "a,b"));
  EXPECT_THAT(parse(",x\n0,1\n").names, ElementsAre("", "x"));
}

TEST(ParseCsv, ObeysTheFormatThatIsGiven) {
  EXPECT_THAT(parse("1,2\n3,4\n", {.header = true}).names, ElementsAre("1", "2"));
  EXPECT_EQ(parse("1 2\n", {.delimiter = ' '}).cols(), 2U);
  EXPECT_EQ(sentence("a,b\n3,4\n", {.header = false}), "t.csv:1:1: \"a\" is not a number");
  EXPECT_EQ(sentence("1,2\n3,4\n", {.delimiter = ';'}),
            "t.csv:1:1: \"1,2\" has a decimal comma, expected a decimal point; if the first line holds names, set "
            "header to yes");
}

TEST(ParseCsv, KnowsTheLinesOfItsRows) {
  EXPECT_EQ(place_of(parse("a,b\n1,2\n3,4\n"), 1, 0), "t.csv:3:1 (a)");
  EXPECT_EQ(place_of(parse("1,2\n3,4\n"), 1, 1), "t.csv:2:2");
}

TEST(ParseCsv, RefusesRaggedRows) {
  EXPECT_EQ(sentence("a,b,c\n1,2,3\n4,5\n"), "t.csv:3: 2 fields, expected 3");
  EXPECT_EQ(sentence("1,2,3\n4,5,6,7\n"), "t.csv:2: 4 fields, expected 3");
  EXPECT_EQ(sentence("1 2 3\n4 5 6 7\n"), "t.csv:2: 4 fields, expected 3");
  EXPECT_EQ(sentence("a,b\n1\n"), "t.csv:2: 1 field, expected 2");
  EXPECT_EQ(sentence("a\n1,2\n"), "t.csv:2: 2 fields, expected 1");
}

TEST(ParseCsv, RefusesCellsThatAreNoNumbers) {
  EXPECT_EQ(sentence("x,age\n1,2\n3,abc\n"), "t.csv:3:2 (age): \"abc\" is not a number");
  EXPECT_EQ(sentence("x,age\n1,2\n,4\n"), "t.csv:3:1 (x): missing value, expected a number");
  EXPECT_EQ(sentence("x,age\n1,2\n3,?\n"), "t.csv:3:2 (age): missing value (\"?\"), expected a number");
  EXPECT_EQ(sentence("x,age\n1,NaN\n"), "t.csv:2:2 (age): missing value (\"NaN\"), expected a number");
  EXPECT_EQ(sentence("x,age\n1,-inf\n"), "t.csv:2:2 (age): \"-inf\" is not a finite number");
  EXPECT_EQ(sentence("x,age\n1,1e999\n"), "t.csv:2:2 (age): \"1e999\" is too large for a double");
  EXPECT_EQ(sentence("x,age\n1,0x1F\n"), "t.csv:2:2 (age): \"0x1F\" is hexadecimal, expected a decimal number");
  EXPECT_EQ(sentence("x;age\n1;2,5\n", {.decimal = '.'}),
            "t.csv:2:2 (age): \"2,5\" has a decimal comma, expected a decimal point");
  EXPECT_EQ(sentence(",x\n1,2\nz,3\n"), "t.csv:3:1: \"z\" is not a number");
}

TEST(ParseCsv, ComplainsOfTheFirstRow) {
  EXPECT_EQ(sentence("a,b\n1,2\n3,x\ny,4\n"), "t.csv:3:2 (b): \"x\" is not a number");
}

TEST(ParseCsv, AsksWhetherAnOddFirstLineHoldsNames) {
  EXPECT_EQ(sentence("1.5,abc\n2.5,3\n"),
            "t.csv:1:2: \"abc\" is not a number; if the first line holds names, set header to yes");
  EXPECT_EQ(sentence(",0,1\n0,1,2\n"),
            "t.csv:1:1: missing value, expected a number; if the first line holds names, set header to yes");
}

TEST(ParseCsv, LetsUnusedColumnsHoldAnything) {
  const Table table = parse_csv("name,x,y\nann,1,2\nbob,3,\n", "t.csv");
  const std::vector<std::size_t> used = {1};
  EXPECT_NO_THROW(check_usable(table, used));
  EXPECT_EQ(take_columns(table, used), Matrix(2, 1, std::vector<double>{1, 3}));
}

TEST(ParseCsv, RefusesBlankLinesBetweenRows) {
  EXPECT_EQ(sentence("a,b\n1,2\n\n3,4\n"), "t.csv:3: blank line, expected 2 fields");
  EXPECT_EQ(sentence("a\n1\n \n2\n"), "t.csv:3: blank line, expected 1 field");
  EXPECT_EQ(sentence("\n1,2\n"), "t.csv:1: blank line, expected names or numbers");
}

TEST(ParseCsv, RefusesQuotesThatAreNotClosed) {
  EXPECT_EQ(sentence("a,b\n1,\"2\n3,4\n"), "t.csv:2:2 (b): the quote is not closed on its line");
  EXPECT_EQ(sentence("\"a\nb\",c\n1,2\n"), "t.csv:1:1: the quote is not closed on its line");
  EXPECT_EQ(sentence("a,b\n1,\"2\"x\n"), "t.csv:2:2 (b): text after the closing quote, expected a delimiter");
}

TEST(ParseCsv, RefusesDuplicateNames) {
  EXPECT_EQ(sentence("x,y,x\n1,2,3\n"), "t.csv:1: fields 1 and 3 are both named \"x\", expected different names");
  EXPECT_EQ(sentence("x,,\n1,2,3\n"), "t.csv:1: fields 2 and 3 both have an empty name, expected different names");
}

TEST(ParseCsv, RefusesNamesThatAreNoText) {
  EXPECT_EQ(sentence("temp \x81,y\n1,2\n"), "t.csv:1:1: \"temp \\x81\" is neither UTF-8 nor Latin-1");
  EXPECT_EQ(sentence("\"a\tb\",y\n1,2\n"), "t.csv:1:1: the name \"a\\x09b\" holds a control character");
}

TEST(ParseCsv, RefusesLoneCarriageReturns) {
  const std::string tail = " a carriage return without a line feed, expected lines that end in LF or CRLF";
  EXPECT_EQ(sentence("a,b\r1,2\r3,4\r"), "t.csv:1:" + tail);
  EXPECT_EQ(sentence("a,b\n1,2\r3,4\n"), "t.csv:2:" + tail);
  EXPECT_EQ(sentence("a,b\n1,2\r\r\n"), "t.csv:2:" + tail);
}

TEST(ParseCsv, RefusesWhatIsNoTable) {
  EXPECT_EQ(sentence(""), "t.csv: empty, expected a table");
  EXPECT_EQ(sentence("\xef\xbb\xbf"), "t.csv: empty, expected a table");
  EXPECT_EQ(sentence(" \n\r\n"), "t.csv: only blank lines, expected a table");
  EXPECT_EQ(sentence("a,b\n"), "t.csv: a header but no rows");
  EXPECT_EQ(sentence("a,b\n\n\n"), "t.csv: a header but no rows");
  EXPECT_EQ(sentence("1,2\n\0"s + "3,4\n"), "t.csv: binary data (a zero byte), expected a table as text");
  EXPECT_EQ(sentence("\x01\x02\x03\n1\n"), "t.csv:1: binary data (a control character), expected a table as text");
  EXPECT_EQ(sentence("\xff\xfe"
                     "1\n"),
            "t.csv: UTF-16 text, expected UTF-8");
  EXPECT_EQ(sentence("\xfe\xff"
                     "1\n"),
            "t.csv: UTF-16 text, expected UTF-8");
}

TEST(ParseCsv, DoesNotAllocateForRowsThatAreNotThere) {
  const std::string header(200000, ',');  // 200,001 columns
  const std::string lines(200000, '\n');
  EXPECT_EQ(sentence("1" + header + lines + "1\n"), "t.csv:2: blank line, expected 200001 fields");
}

TEST(RowReader, ReadsBlocksOfLinesWithoutTheOthers) {
  const RowFormat format{.source = "t.csv", .dialect = {.delimiter = ','}, .cols = 2};
  RowReader reader(format);
  reader.read("3,4\n5,x\ny,z\n");
  EXPECT_EQ(reader.rows(), 3U);
  EXPECT_THAT(std::span(reader.values()).first(3), ElementsAre(3, 4, 5));
  ASSERT_EQ(reader.faults().size(), 2U);
  EXPECT_EQ(sentence_of(format, reader.faults()[0], 7), "t.csv:8:2: \"x\" is not a number");
  EXPECT_EQ(reader.faults()[1].row, 2U);
  EXPECT_FALSE(reader.broken().has_value());
}

TEST(RowReader, StopsAtALineThatIsNoRow) {
  const RowFormat format{.source = "t.csv", .dialect = {.delimiter = ','}, .cols = 2};
  RowReader reader(format);
  reader.read("1,2\n3,4,5\n6,7\n");
  EXPECT_THAT(reader.values(), ElementsAre(1, 2));
  EXPECT_EQ(reader.broken(), "3,4,5");
  reader.read("6,7\n");
  EXPECT_THAT(reader.values(), ElementsAre(6, 7));
  EXPECT_FALSE(reader.broken().has_value());
}

TEST(RowReader, ReadsNumbersWordsAndMissingCellsOfALine) {
  const RowFormat format{.source = "t.csv",
                         .dialect = {.delimiter = ','},
                         .cols = 4,
                         .missing = {"-9", "9e1", "far"},
                         .kinds = {ColumnKind::number, ColumnKind::category, ColumnKind::number, ColumnKind::category}};
  const std::vector<WordIndex> known(4, WordIndex({"red"}));
  RowReader reader(format);
  reader.read(" 1.5 , red,-9,blue\n-9.0,deep blue ,90,far\n9e1, n\"a\",2,\n3,\"red\",4,\"na\"\n", known);
  EXPECT_THAT(reader.values(), ElementsAre(1.5, 0, IsNan(), 1,      //
                                           -9, 1, 90, IsNan(),      //
                                           IsNan(), 2, 2, IsNan(),  //
                                           3, 0, 4, IsNan()));
  EXPECT_THAT(reader.words()[1].new_words(), ElementsAre("deep blue", "n\"a\""));
  EXPECT_THAT(reader.words()[3].new_words(), ElementsAre("blue"));
  ASSERT_EQ(reader.missing().size(), 3U);
  EXPECT_EQ(reader.missing()[0].col, 2U);
  EXPECT_EQ(reader.missing()[1].row, 1U);
  EXPECT_EQ(reader.missing()[2].text, "9e1");
  EXPECT_TRUE(reader.faults().empty());
}

TEST(RowReader, TakesNothingFromALineThatIsNoRow) {
  const RowFormat format{.source = "t.csv",
                         .dialect = {.delimiter = ','},
                         .cols = 3,
                         .kinds = {ColumnKind::category, ColumnKind::number, ColumnKind::number}};
  const std::vector<WordIndex> known(3);
  RowReader reader(format);
  for (const std::string_view broken : {"b,,x,1", "b,x", "b,,\"", "b,,1\r2"}) {
    const std::string text = fmt::format("a,1,2\n{}\n3,4,5", broken);
    reader.read(text, known);
    EXPECT_EQ(reader.broken(), broken);
    EXPECT_THAT(reader.values(), ElementsAre(0, 1, 2));
    EXPECT_THAT(reader.words()[0].new_words(), ElementsAre("a"));
    EXPECT_TRUE(reader.missing().empty());
    EXPECT_TRUE(reader.faults().empty());
  }
}

}  // namespace
}  // namespace credens::data
