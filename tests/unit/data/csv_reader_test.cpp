// SPDX-License-Identifier: Apache-2.0
//
// Texts of several windows: what is read and what is refused must not depend on where windows and blocks are cut.

#include "data/csv_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/file.hpp"
#include "base/text.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using test::parse_csv;
using test::read_table;

constexpr std::size_t many_rows = 220000;  // two windows

std::string line_of(std::size_t row) {
  return fmt::format("{},{:.6f},-{}.5\n", row, 0.37 * static_cast<double>(row), row % 977);
}

std::string long_text() {
  std::string text = "a,b,c\n";
  for (std::size_t row = 0; row < many_rows; ++row) text += line_of(row);
  return text;
}

/// `text` with row `row` replaced.
std::string with_line(std::string text, std::size_t row, const std::string& line) {
  const std::string old_line = "\n" + line_of(row);
  return text.replace(text.find(old_line), old_line.size(), "\n" + line + "\n");
}

Table parse(const std::string& text, int threads) {
  return parse_csv(text, "t.csv", {.threads = threads});
}

TEST(CsvReader, ReadsTheSameOnAnyNumberOfThreads) {
  const std::string text = long_text();
  const Table alone = parse(text, 1);
  ASSERT_EQ(alone.rows(), many_rows);
  for (std::size_t row = 0; row < many_rows; row += 997) {
    EXPECT_EQ(alone.values(row, 0), static_cast<double>(row));
    EXPECT_EQ(alone.values(row, 2), -(static_cast<double>(row % 977) + 0.5));
  }
  for (const int threads : {2, 7}) EXPECT_EQ(parse(text, threads).values, alone.values);
}

TEST(CsvReader, RefusesTheFirstBadLineOnAnyNumberOfThreads) {
  std::string text = with_line(long_text(), 215000, "1,2");
  text = with_line(text, 200001, "1,\"2,3");
  text = with_line(text, 200002, "");
  for (const int threads : {1, 7}) {
    EXPECT_THAT([&] { parse(text, threads); },
                test::Fails(ErrorCode::data, "t.csv:200003:2 (b): the quote is not closed on its line"));
  }
}

TEST(CsvReader, NamesTheFirstFaultOfAColumnOnAnyNumberOfThreads) {
  std::string text = with_line(long_text(), 205007, "1,2,z");
  text = with_line(text, 205006, "1,2,y");
  text = with_line(text, 219999, "x,2,3");
  for (const int threads : {1, 7}) {
    const Table table = parse(text, threads);
    ASSERT_EQ(table.faults.size(), 3U);
    EXPECT_EQ(table.faults[0]->sentence, "t.csv:220001:1 (a): \"x\" is not a number");
    EXPECT_FALSE(table.faults[1].has_value());
    EXPECT_EQ(table.faults[2]->sentence, "t.csv:205008:3 (c): \"y\" is not a number");
  }
}

TEST(CsvReader, RefusesZeroBytesFarFromTheStart) {
  const std::string text = with_line(long_text(), 210000, std::string("1,2,\0", 5));
  EXPECT_THAT([&] { parse(text, 2); }, test::Fails(ErrorCode::data, "t.csv: binary data (a zero byte)"));
}

TEST(CsvReader, ReadsLinesThatAreLongerThanAWindow) {
  std::string line = "0";
  for (int i = 0; i < 900000; ++i) line += ",7777";
  const Table table = parse(line + "\n" + line + "\n", 2);
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cols(), 900001U);
  EXPECT_EQ(table.values(1, 900000), 7777);
}

TEST(CsvReader, LeavesBlankLinesAtTheEndOut) {
  const std::string blanks(3 << 20, '\n');
  EXPECT_EQ(parse("1,2\n3,4\n" + blanks, 2).rows(), 2U);
  EXPECT_THAT([&] { parse("1,2\n" + blanks + "3,4\n", 2); },
              test::Fails(ErrorCode::data, "t.csv:2: blank line, expected 2 fields"));
  EXPECT_THAT([&] { parse(blanks, 2); }, test::Fails(ErrorCode::data, "t.csv: only blank lines"));
  EXPECT_THAT([&] { parse(blanks + "1\n", 2); }, test::Fails(ErrorCode::data, "t.csv:1: blank line"));
}

TEST(CsvReader, ReadsAMappedFileAsItsText) {
  const test::TemporaryFolder folder;
  const std::string text = long_text();
  base::write_file(folder / "t.csv", text);
  EXPECT_EQ(read_table(folder / "t.csv", {.threads = 2}).values, parse(text, 1).values);
}

TEST(CsvReader, StartsAgain) {
  const std::string text = with_line(long_text(), 7, "7,x,1");
  CsvReader reader(std::make_unique<ByteSource>(text, "t.csv"), {});
  std::vector<double> first;
  while (reader.append(first)) {
  }
  reader.rewind();
  EXPECT_TRUE(reader.faults().empty());
  std::vector<double> second;
  while (reader.append(second)) {
  }
  ASSERT_EQ(first.size(), 3 * many_rows);
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0);
  EXPECT_EQ(reader.faults()[1]->row, 7U);
}

std::string word_of(std::size_t row) {
  return fmt::format("w{}", row % 50000 == 777 ? row : row * row % 613);
}

/// Codes of a column of words, read with these words known.
std::vector<double> codes_of(const std::string& text, int threads, const std::vector<std::string>& known,
                             std::vector<std::string>& levels) {
  CsvReader reader(std::make_unique<ByteSource>(text, "t.csv"), {.threads = threads});
  std::vector<ColumnReading> columns(2);
  columns[1] = {.kind = ColumnKind::category, .levels = known, .takes_new_levels = known.empty()};
  reader.read_as(columns);
  std::vector<double> values;
  while (reader.append(values)) continue;
  levels = reader.levels(1);
  std::vector<double> codes;
  for (std::size_t i = 1; i < values.size(); i += 2) codes.push_back(values[i]);
  return codes;
}

TEST(CsvReader, NumbersWordsOfManyBlocksInTheOrderOfTheFile) {
  constexpr std::size_t rows = 500000;  // two windows
  std::string text = "a,b\n";
  std::map<std::string, double> codes;
  std::vector<double> all_new;
  std::vector<double> few_known;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string word = word_of(row);
    text += fmt::format("{},{}\n", row, word);
    all_new.push_back(codes.emplace(word, static_cast<double>(codes.size())).first->second);
    few_known.push_back(word == "w1" ? 0 : word == "w36" ? 1 : 2);
  }
  for (const int threads : {1, 7}) {
    std::vector<std::string> levels;
    EXPECT_EQ(codes_of(text, threads, {}, levels), all_new);
    ASSERT_EQ(levels.size(), codes.size());
    for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(codes.at(levels[i]), static_cast<double>(i));
    EXPECT_EQ(codes_of(text, threads, {"w1", "w36"}, levels), few_known);
    EXPECT_EQ(levels.size(), 2U);
  }
}

TEST(CsvReader, CountsRows) {
  const auto count = [](const std::string& text) {
    return CsvReader(std::make_unique<ByteSource>(text, "t.csv"), {}).count_rows();
  };
  EXPECT_EQ(count(long_text()), many_rows);
  EXPECT_EQ(count("1,2\n3,4"), 2U);
  EXPECT_EQ(count("a\n1\r\n\n \n"), 1U);
  EXPECT_THAT([&] { count("1" + std::string(2000, ',') + std::string(2000, '\n') + "1\n"); },
              test::Fails(ErrorCode::data, "t.csv:2: blank line, expected 2001 fields"));
}

/// The sentence about a file with this content, read once as a pipe is and read as a file.
void refuse(const std::string& content, const std::string& sentence) {
  const test::TemporaryFolder folder;
  base::write_file(folder / "t.csv", content);
  EXPECT_THAT([&] { read_table(folder / "t.csv"); }, test::Fails(ErrorCode::data, sentence));
}

TEST(CsvLimits, RefuseLinesThatDoNotEnd) {
  const std::string endless(longest_line + 1, '1');
  refuse(endless, "t.csv:1:1: a field of more than 1 MiB, expected shorter ones");
  refuse("a\n1\n" + endless, "t.csv:3:1 (a): a field of more than 1 MiB");
}

TEST(CsvLimits, RefuseLongLinesOfManyFields) {
  std::string line(longest_line + 2, '1');
  for (std::size_t at = longest_field; at < line.size(); at += longest_field) line[at] = ',';
  refuse(line + "\n1\n", "t.csv:1: a line of more than 64 MiB, expected shorter lines");
  const std::string names(std::ranges::count(line, ','), ',');
  refuse(names + "\n" + line + "\n", "t.csv:2: a line of more than 64 MiB, expected shorter lines");
}

TEST(CsvLimits, FindAZeroByteInALineThatDoesNotEnd) {
  std::string text(std::size_t{8} << 20, '1');
  text[text.size() / 2] = '\0';
  refuse(text, "t.csv: binary data (a zero byte), expected a table as text");
  refuse(long_text() + text, "t.csv: binary data (a zero byte)");
}

TEST(CsvLimits, RefuseTooManyFields) {
  refuse(std::string(most_fields, ',') + "\n1\n", "t.csv:1: more than 1000000 fields, expected at most that");
}

TEST(CsvLimits, RefuseLongFields) {
  const std::string word(longest_field + 1, 'w');
  refuse("a," + word + "\n1,2\n", "t.csv:1:2: a field of more than 1 MiB, expected shorter ones");
}

TEST(CsvLimits, RefuseAHeaderThatMayBeARow) {
  refuse("1,2x,3\n4,5,6\n",
         "t.csv:1: words among numbers, and numbers alone below: names, or a row with a slip? "
         "Expected --header yes|no");
}

}  // namespace
}  // namespace credens::data
