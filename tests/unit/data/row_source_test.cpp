// SPDX-License-Identifier: Apache-2.0

#include "data/row_source.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <numeric>

#include "base/file.hpp"
#include "data/npy.hpp"
#include "data/row_summary.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

using testing::ElementsAre;

constexpr std::size_t rows = block_rows + 100;

std::string text_of_rows() {
  std::string text = "name,a,b,w,s,y\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("r{},{},{},{},{},{}\n", row, 0.1 * static_cast<double>(row), row % 7 == 0 ? "-0" : "3", row % 3,
                        1 + row % 5, row * row);
  }
  return text;
}

const DatasetOptions all_parts{.targets = {"y"}, .ignore = {"name"}, .weight = "w", .noise_std = {"s"}};

class Rows : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    base::write_file(folder_ / "t.csv", text);
    return folder_ / "t.csv";
  }

  test::TemporaryFolder folder_;
};

void expect_same(MatrixView block, MatrixView whole, std::size_t first) {
  for (std::size_t row = 0; row < block.rows(); ++row) {
    EXPECT_TRUE(std::ranges::equal(block.row(row), whole.row(first + row)));
  }
}

void expect_rows(RowSource& source, const Dataset& expected) {
  EXPECT_EQ(source.count_rows(), expected.rows());
  EXPECT_EQ(source.schema(), expected.schema());
  EXPECT_EQ(source.schema().weight.has_value(), !expected.weights().empty());
  for (int pass = 0; pass < 2; ++pass, source.rewind()) {
    std::size_t count = 0;
    for (RowBlock block; source.next(block);) {
      EXPECT_EQ(block.first_row, count);
      expect_same(block.inputs, expected.inputs(), count);
      expect_same(block.targets, expected.targets(), count);
      expect_same(block.noise_std, expected.noise_std(), count);
      EXPECT_EQ(block.noise_std.empty(), expected.noise_std().empty());
      if (source.schema().weight) {
        EXPECT_TRUE(std::ranges::equal(block.weights, expected.weights().subspan(count, block.rows())));
      }
      count += block.rows();
    }
    EXPECT_EQ(count, expected.rows());
  }
}

TEST_F(Rows, OfAFileAreThoseOfItsDataset) {
  const auto path = write(text_of_rows());
  for (const DatasetOptions& options : {all_parts, DatasetOptions{.targets = {"y", "w"}, .inputs = {"b", "a"}}}) {
    const Dataset dataset = Dataset::from_file(path, options);
    EXPECT_EQ(dataset.rows(), rows);
    expect_rows(*open_rows(path, options), dataset);
    expect_rows(*rows_of(dataset), dataset);
  }
}

TEST_F(Rows, HaveTheFingerprintOfTheirDataset) {
  const auto path = write(text_of_rows());
  for (const DatasetOptions& options : {all_parts, DatasetOptions{.targets = {"y"}, .ignore = {"0"}}}) {
    const Dataset dataset = Dataset::from_file(path, options);
    EXPECT_EQ(summarise(*open_rows(path, options)).fingerprint, dataset.fingerprint());
    EXPECT_EQ(summarise(*rows_of(dataset)).fingerprint, dataset.fingerprint());
  }
}

TEST_F(Rows, AreSummedUpInOnePass) {
  const auto path = write(text_of_rows());
  const Dataset dataset = Dataset::from_file(path, all_parts);
  const RowSummary summary = summarise(*open_rows(path, all_parts));
  EXPECT_EQ(summary.rows, rows);
  EXPECT_EQ(summary.weight_total, std::accumulate(dataset.weights().begin(), dataset.weights().end(), 0.0));
  EXPECT_EQ(summary.inputs.scaler(), standardising_scaler(dataset.inputs(), dataset.weights()));
  EXPECT_EQ(summary.targets.scaler(), standardising_scaler(dataset.targets(), dataset.weights()));
  EXPECT_EQ(summarise(*open_rows(path, {.targets = {"y"}, .ignore = {"name"}})).weight_total, rows);
}

TEST_F(Rows, NameThePlaceOfWhatIsWrong) {
  const auto refuse = [&](const std::string& last_row, const std::string& words) {
    const auto path = write(text_of_rows() + last_row);
    EXPECT_THAT([&] { summarise(*open_rows(path, all_parts)); }, test::Fails(ErrorCode::data, words));
    EXPECT_THAT([&] { Dataset::from_file(folder_ / "t.csv", all_parts); }, test::Fails(ErrorCode::data, words));
  };
  refuse("r,1,2,-3,4,5\n", "t.csv:4198:4 (w): the weight is -3, expected a number that is not negative");
  refuse("r,1,2,3,0,5\n", "t.csv:4198:5 (s): the noise is 0, expected a number above 0");
  refuse("r,1,2,3,1e-200,5\n", "t.csv:4198:5 (s): the noise is 1e-200, whose square is no usable variance");
  refuse("r,1,2,3,?,5\n", "t.csv:4198:5 (s): missing value");
  refuse("r,1,2,3,4\n", "t.csv:4198: 5 fields, expected 6");
  refuse("r,1,2,1.7e308,4,5\nr,1,2,1.7e308,4,5\n", "t.csv: the sum of the weights is beyond the largest double");
}

TEST_F(Rows, RefuseWeightsThatAreAllZero) {
  const auto source = open_rows(write("x,w,y\n1,0,2\n3,0,4\n"), {.targets = {"y"}, .weight = "w"});
  EXPECT_THAT([&] { summarise(*source); }, test::Fails(ErrorCode::data, "t.csv: all weights are 0"));
}

TEST_F(Rows, RefuseContradictionsBeforeAnythingIsRead) {
  const auto path = write("x,y\n1,2\n3\n");
  EXPECT_THAT([&] { open_rows(path, {.targets = {"y"}, .inputs = {"y"}}); },
              test::Fails(ErrorCode::usage, "both target"));
  EXPECT_THAT([&] { open_rows(path, {.targets = {"z"}}); }, test::Fails(ErrorCode::data, "no column \"z\""));
}

TEST_F(Rows, LabelTheirColumns) {
  const auto named = open_rows(write("x,y\n1,2\n"), {.targets = {"y"}});
  EXPECT_THAT(labels_of(named->schema().inputs), ElementsAre("column \"x\""));
  EXPECT_THAT(labels_of(named->schema().targets), ElementsAre("column \"y\""));
  const auto unnamed = open_rows(write("1,2,3\n4,5,6\n"), {.targets = {"0"}});
  EXPECT_THAT(labels_of(unnamed->schema().inputs),
              ElementsAre("column 1 (counted from 0)", "column 2 (counted from 0)"));
}

TEST_F(Rows, OfHostileFilesDoNotAllocate) {
  const auto path = write("1" + std::string(200000, ',') + std::string(200000, '\n') + "1\n");
  EXPECT_THAT([&] { Dataset::from_file(path, {.targets = {"0"}, .inputs = {"1"}}); },
              test::Fails(ErrorCode::data, "t.csv:2: blank line, expected 200001 fields"));
}

/// The end of a file, in its place: another file of its name would not be seen.
void overwrite_end(const std::filesystem::path& path, const std::string& text) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-static_cast<std::streamoff>(text.size()), std::ios::end);
  file << text;
}

TEST_F(Rows, MustStayAsManyAsTheyWereCounted) {
  const std::string start = "x,y\n1,2\n";
  const std::string one = "12345,7\n";
  const std::string two = "1,1\n5,7\n";
  for (const auto& [before, after] : {std::pair{one, two}, std::pair{two, one}}) {
    const auto path = write(start + before);
    const auto source = open_rows(path, {.targets = {"y"}});
    EXPECT_EQ(source->count_rows(), before == one ? 2U : 3U);
    overwrite_end(path, after);
    const auto read_all = [&] {
      for (RowBlock block; source->next(block);) {
      }
    };
    EXPECT_THAT(read_all, test::Fails(ErrorCode::data, "t.csv: the number of rows changed while they were read"));
  }
}

/// Counts how often a table is read.
class CountingPortions : public RowPortions {
 public:
  CountingPortions(std::unique_ptr<RowPortions> portions, std::size_t& parsed, std::size_t& others)
      : portions_(std::move(portions)), parsed_(parsed), others_(others) {}

  const Table& header() const override { return portions_->header(); }
  std::vector<ColumnContent> contents() override { return portions_->contents(); }
  void read_as(std::vector<ColumnReading> columns) override { portions_->read_as(std::move(columns)); }
  ColumnKind kind(std::size_t col) const override { return portions_->kind(col); }
  const std::vector<std::string>& levels(std::size_t col) const override { return portions_->levels(col); }
  const ColumnFaults& faults() const override { return portions_->faults(); }
  const ColumnFaults& missing() const override { return portions_->missing(); }
  std::size_t guess_rows() const override { return portions_->guess_rows(); }

  bool append(std::vector<double>& values) override {
    const std::size_t before = values.size();
    const bool is_there = portions_->append(values);
    parsed_ += (values.size() - before) / header().cols();
    return is_there;
  }

  std::size_t count_rows() override {
    ++others_;
    return portions_->count_rows();
  }

  void rewind() override {
    ++others_;
    portions_->rewind();
  }

 private:
  std::unique_ptr<RowPortions> portions_;
  std::size_t& parsed_;
  std::size_t& others_;
};

TEST_F(Rows, InOnePassAreParsedOnceAndNotCounted) {
  const auto path = write(text_of_rows());
  std::size_t parsed = 0;
  std::size_t others = 0;
  auto portions = std::make_unique<CountingPortions>(open_table(path, {}, FileKind::any, Passes::one), parsed, others);
  Schema schema = make_schema(portions->header(), all_parts);
  const auto source = open_rows(path, std::move(portions), std::move(schema), {}, Passes::one);
  std::size_t count = 0;
  for (RowBlock block; source->next(block);) {
    EXPECT_EQ(block.first_row, count);
    count += block.rows();
  }
  EXPECT_EQ(count, rows);
  EXPECT_EQ(parsed, rows);
  EXPECT_EQ(others, 0U);
}

constexpr std::size_t many_rows = 2 * block_rows + 5;

Matrix numbers() {
  Matrix values(many_rows, 3);
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

/// An array in Fortran order: the rows of a column side by side.
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
    const auto source = open_rows(path, {.targets = {"2"}});
    EXPECT_EQ(source->schema().table_columns, 3U);
    EXPECT_EQ(source->count_rows(), many_rows);
    for (int pass = 0; pass < 2; ++pass, source->rewind()) {
      std::vector<double> values;
      std::vector<std::size_t> sizes;
      for (RowBlock block; source->next(block);) {
        EXPECT_EQ(block.first_row, values.size() / 3);
        EXPECT_EQ(block.table->first_row, block.first_row);
        const auto block_values = block.table->values.values();
        values.insert(values.end(), block_values.begin(), block_values.end());
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
  const auto source = open_rows(path, {.targets = {"1"}, .format = {.threads = 2}});
  std::size_t count = 0;
  for (RowBlock block; source->next(block);) {
    EXPECT_EQ(block.inputs(0, 0), static_cast<double>(count));
    count += block.rows();
    EXPECT_TRUE(block.rows() == block_rows || count == 400000U);
  }
  EXPECT_EQ(count, 400000U);
}

TEST_F(TableBlocks, NameThePlaceInTheFile) {
  std::string text = as_text(numbers());
  text += "1,x,2\n";
  const auto source = open_rows(write("t.csv", text), {.targets = {"c"}, .inputs = {"a"}});
  RowBlock block;
  const std::vector<std::size_t> second = {1};
  source->next(block);
  EXPECT_NO_THROW(check_usable(*block.table, second));
  source->next(block);
  EXPECT_THAT(place_of(*block.table, 2, 1), testing::EndsWith("t.csv:4100:2 (b)"));
  EXPECT_NO_THROW(check_usable(*block.table, second));
  source->next(block);
  EXPECT_THAT([&] { check_usable(*block.table, second); },
              test::Fails(ErrorCode::data, "t.csv:8199:2 (b): \"x\" is not a number"));
}

TEST_F(TableBlocks, OfAnArrayNameItsRows) {
  Matrix values = numbers();
  values(block_rows + 1, 2) = std::numeric_limits<double>::infinity();
  const auto source = open_rows(write("t.npy", as_npy(values)), {.targets = {"0"}, .inputs = {"1"}});
  RowBlock block;
  source->next(block);
  source->next(block);
  EXPECT_THAT(place_of(*block.table, 1, 2), testing::EndsWith("t.npy: row 4097, column 2 (counted from 0)"));
  EXPECT_THAT([&] { select_columns(*block.table, std::vector<std::string>{"2"}); },
              test::Fails(ErrorCode::data, "row 4097, column 2 (counted from 0) is inf"));
}

TEST_F(TableBlocks, RefuseColumnsWhoseFaultHasPassed) {
  std::string text = as_text(numbers());
  text.replace(text.find("\n0,") + 1, 1, "x");
  const auto source = open_rows(write("t.csv", text), {.targets = {"c"}, .inputs = {"b"}});
  const std::vector<std::size_t> first = {0};
  for (RowBlock block; source->next(block);) {
    EXPECT_THAT([&] { check_usable(*block.table, first); }, test::Fails(ErrorCode::data, "t.csv:2:1 (a): \"x\""));
  }
}

}  // namespace
}  // namespace credens::data
