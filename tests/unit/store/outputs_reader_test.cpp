// SPDX-License-Identifier: Apache-2.0

#include <credens/outputs_folder.hpp>
#include <credens/store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/npy.hpp"
#include "store/outputs_writer.hpp"
#include "support/error_matchers.hpp"
#include "support/read_npy.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

constexpr std::size_t row_count = 23;

MemberOutputs example_outputs(const Example& example = {.outputs = 2}) {
  const Ensemble ensemble = example_ensemble(example);
  MemberOutputs outputs = ensemble.member_outputs(example_inputs(row_count, ensemble.inputs()));
  outputs.targets = Matrix(row_count, ensemble.outputs(), 0.25);
  for (std::size_t i = 0; i < row_count; ++i) {
    outputs.row_weights.push_back(static_cast<double>(i));
    outputs.targets(i, 0) = static_cast<double>(i);
  }
  return outputs;
}

class OutputsReaderTest : public testing::Test {
 protected:
  OutputsReader reader_of(const MemberOutputs& outputs) {
    save_outputs({outputs, 0.5}, folder_);
    return OutputsReader(folder_);
  }

  TemporaryFolder root_;
  std::filesystem::path folder_ = root_ / "outputs";
};

Matrix part_of(const Matrix& matrix, std::size_t first, std::size_t count) {
  const auto values = matrix.values().subspan(first * matrix.cols(), count * matrix.cols());
  return {count, matrix.cols(), std::vector<double>(values.begin(), values.end())};
}

MemberOutputs part_of(const MemberOutputs& outputs, std::size_t first, std::size_t count) {
  MemberOutputs part = outputs;
  for (std::vector<Matrix> MemberOutputs::*array :
       {&MemberOutputs::features, &MemberOutputs::mean, &MemberOutputs::variance}) {
    for (Matrix& member : part.*array) member = part_of(member, first, count);
  }
  part.targets = part_of(outputs.targets, first, count);
  const auto weights = std::span(outputs.row_weights).subspan(first, count);
  part.row_weights.assign(weights.begin(), weights.end());
  return part;
}

void expect_pieces(OutputsReader reader, const MemberOutputs& outputs, std::size_t size) {
  for (std::size_t first = 0; first < row_count; first += size) {
    const std::size_t count = std::min(size, row_count - first);
    const MemberOutputs piece = reader.read(first, size);
    ASSERT_EQ(piece.rows(), count);
    for (std::size_t l = 0; l < outputs.members(); ++l) {
      EXPECT_EQ(piece.features[l], part_of(outputs.features[l], first, count));
      EXPECT_EQ(piece.mean[l], part_of(outputs.mean[l], first, count));
      EXPECT_EQ(piece.variance[l], part_of(outputs.variance[l], first, count));
    }
    EXPECT_EQ(piece.targets, part_of(outputs.targets, first, count));
    EXPECT_EQ(piece.row_weights.front(), static_cast<double>(first));
    EXPECT_EQ(piece.target_scale, outputs.target_scale);
    EXPECT_TRUE(piece.last_layer.empty());
  }
}

TEST_F(OutputsReaderTest, GivesTheSameForAFolderWrittenInPieces) {
  MemberOutputs differing = example_outputs();
  differing.features[1] = Matrix(row_count, differing.features[0].cols() + 1, 0.5);
  differing.last_layer.clear();
  for (const MemberOutputs& outputs : {example_outputs(), differing}) {
    OutputsWriter writer(folder_, part_of(outputs, 0, 1), 0.5, row_count);  // row 0 has weight 0
    for (const auto& [first, count] : {std::pair{0, 1}, std::pair{1, 15}, std::pair{16, 7}}) {
      writer.add(part_of(outputs, first, count));
    }
    writer.commit();
    expect_pieces(OutputsReader(folder_), outputs, row_count);
    expect_pieces(OutputsReader(folder_), outputs, 4);
  }
}

TEST_F(OutputsReaderTest, SeesNoFolderOfFewerOrMoreRowsThanAnnounced) {
  const MemberOutputs outputs = example_outputs();
  const auto write = [&](std::size_t announced) {
    OutputsWriter writer(folder_, outputs, 0.5, announced);
    writer.add(outputs);
    writer.commit();
  };
  EXPECT_THAT([&] { write(row_count + 1); }, test::Fails(ErrorCode::data, "the number of rows changed"));
  EXPECT_THAT([&] { write(row_count - 1); }, test::Fails(ErrorCode::data, "the number of rows changed"));
  EXPECT_THROW(OutputsReader reader(folder_), Error);
  write(row_count);
  expect_pieces(OutputsReader(folder_), outputs, row_count);
}

TEST_F(OutputsReaderTest, SeesTheOldFolderUntilTheNewOneIsWhole) {
  const MemberOutputs old = example_outputs();
  save_outputs({old, 0.5}, folder_);
  MemberOutputs bad = example_outputs();
  bad.mean[0](20, 0) = std::nan("");
  EXPECT_THROW(save_outputs({bad, 0.5}, folder_), Error);
  bad = example_outputs();
  std::fill(bad.row_weights.begin(), bad.row_weights.end(), 0.0);
  EXPECT_THROW(save_outputs({bad, 0.5}, folder_), Error);
  expect_pieces(OutputsReader(folder_), old, row_count);
}

TEST_F(OutputsReaderTest, GivesTheRowsInPieces) {
  for (const Example& example : {Example{.outputs = 2}, Example{.hidden = {{3}, {5}}}}) {
    const MemberOutputs outputs = example_outputs(example);
    for (const std::size_t size : {std::size_t{1}, std::size_t{10}, row_count, 2 * row_count}) {
      expect_pieces(reader_of(outputs), outputs, size);
    }
  }
}

TEST_F(OutputsReaderTest, KnowsTheRestBeforeAnyRow) {
  const MemberOutputs outputs = example_outputs({.hidden = {{3}, {5}}});
  const OutputsReader reader = reader_of(outputs);
  EXPECT_EQ(reader.rows(), row_count);
  EXPECT_EQ(reader.prior_precision(), 0.5);
  EXPECT_TRUE(reader.has_targets());
  const MemberOutputs& about = reader.about();
  EXPECT_EQ(about.rows(), 0U);
  EXPECT_EQ(about.features[1].cols(), 5U);
  EXPECT_EQ(about.last_layer, outputs.last_layer);
  EXPECT_EQ(about.member_weights, outputs.member_weights);
  EXPECT_EQ(about.target_names, outputs.target_names);
}

TEST_F(OutputsReaderTest, TakesFewerRowsAtATimeWhereTheyAreWide) {
  MemberOutputs outputs = example_outputs();
  EXPECT_EQ(reader_of(outputs).block_rows(), 4096U);
  for (Matrix& features : outputs.features) features = Matrix(row_count, 3000, 1.0);
  outputs.last_layer.clear();
  const std::size_t narrow = reader_of(outputs).block_rows();
  EXPECT_LT(narrow * 2 * 3000 * sizeof(double), std::size_t{1} << 24);
  EXPECT_GT(narrow, 100U);
}

TEST_F(OutputsReaderTest, NamesTheRowOfTheFileThatCannotBeUsed) {
  const MemberOutputs outputs = example_outputs();
  save_outputs({outputs, 0.5}, folder_);
  data::NpyArray variance = test::read_npy(folder_ / "variance.npy");
  variance.values.back() = -3;
  data::write_npy(folder_ / "variance.npy", variance);
  OutputsReader reader(folder_);
  EXPECT_NO_THROW(reader.read(0, row_count - 1));
  const Thrown thrown = thrown_by([&] { reader.read(row_count - 2, 2); });
  EXPECT_EQ(thrown.code, ErrorCode::data);
  EXPECT_TRUE(
      thrown.sentence.ends_with("variance.npy: member 1: row 22, column 1 is -3, expected a finite number above 0"))
      << thrown.sentence;
}

TEST_F(OutputsReaderTest, RefusesRowWeightsThatAreAllZero) {
  save_outputs({example_outputs(), 0.5}, folder_);
  data::write_npy(folder_ / "row_weights.npy", {{row_count}, std::vector<double>(row_count, 0.0)});
  const Thrown thrown = thrown_by([&] { OutputsReader reader(folder_); });
  EXPECT_EQ(thrown.code, ErrorCode::data);
  EXPECT_NE(thrown.sentence.find("row_weights.npy has the sum 0"), std::string::npos) << thrown.sentence;
}

}  // namespace
}  // namespace credens::store
