// SPDX-License-Identifier: Apache-2.0

#include "data/row_source.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/file.hpp"
#include "data/row_summary.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"

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
  EXPECT_EQ(source.layout().input_names, expected.input_names());
  EXPECT_EQ(source.layout().target_names, expected.target_names());
  EXPECT_EQ(source.layout().weight_name, expected.weight_name());
  EXPECT_EQ(source.layout().noise_names, expected.noise_names());
  EXPECT_EQ(source.layout().input_columns, expected.input_columns());
  EXPECT_EQ(source.layout().table_columns, expected.table_columns());
  EXPECT_EQ(source.layout().target_columns, expected.target_columns());
  EXPECT_EQ(source.has_weights(), !expected.weights().empty());
  for (int pass = 0; pass < 2; ++pass, source.rewind()) {
    std::size_t count = 0;
    for (RowBlock block; source.next(block);) {
      EXPECT_EQ(block.first_row, count);
      expect_same(block.inputs, expected.inputs(), count);
      expect_same(block.targets, expected.targets(), count);
      expect_same(block.noise_std, expected.noise_std(), count);
      EXPECT_EQ(block.noise_std.empty(), expected.noise_std().empty());
      if (source.has_weights()) {
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
    const auto source = open_rows(write(text_of_rows() + last_row), all_parts);
    EXPECT_THAT([&] { summarise(*source); }, test::Fails(ErrorCode::data, words));
    EXPECT_THAT([&] { Dataset::from_file(folder_ / "t.csv", all_parts); }, test::Fails(ErrorCode::data, words));
  };
  refuse("r,1,2,-3,4,5\n", "t.csv:4198:4 (w): the weight is -3, expected a number that is not negative");
  refuse("r,1,2,3,0,5\n", "t.csv:4198:5 (s): the noise is 0, expected a number above 0");
  refuse("r,1,2,3,1e-200,5\n", "t.csv:4198:5 (s): the noise is 1e-200, whose square is no usable variance");
  refuse("r,1,2,3,4,?\n", "t.csv:4198:6 (y): missing value");
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
  EXPECT_THAT(input_labels(named->layout()), ElementsAre("column \"x\""));
  EXPECT_THAT(target_labels(named->layout()), ElementsAre("column \"y\""));
  const auto unnamed = open_rows(write("1,2,3\n4,5,6\n"), {.targets = {"0"}});
  EXPECT_THAT(input_labels(unnamed->layout()), ElementsAre("column 1 (counted from 0)", "column 2 (counted from 0)"));
}

TEST_F(Rows, OfHostileFilesDoNotAllocate) {
  const auto path = write("1" + std::string(200000, ',') + std::string(200000, '\n') + "1\n");
  EXPECT_THAT([&] { Dataset::from_file(path, {.targets = {"0"}, .inputs = {"1"}}); },
              test::Fails(ErrorCode::data, "t.csv:2: blank line, expected 200001 fields"));
}

}  // namespace
}  // namespace credens::data
