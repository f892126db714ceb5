// SPDX-License-Identifier: Apache-2.0

#include "data/pack.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/file.hpp"
#include "data/match.hpp"
#include "data/npy.hpp"
#include "data/table.hpp"
#include "support/error_matchers.hpp"
#include "support/tables.hpp"
#include "support/temporary_folder.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

using test::Archive;
using test::Fails;
using test::read_table;

/// Numbers of many lengths, more than one window of the reader holds if `rows` are 300,000 and more.
std::string text_of(std::size_t rows) {
  std::string text = "x,größe,y\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const auto i = static_cast<double>(row);
    text += fmt::format("{},{},{}\n", i / 7, 1e-5 * i - 3, row % 10);
  }
  return text;
}

class Packing : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text, Archive kind = Archive::none) const {
    base::write_file(folder_ / "t.csv", test::pack(kind, text));
    return folder_ / "t.csv";
  }

  Packed pack(const PackOptions& options = {}, const TableFormat& format = {}) const {
    return pack_file(folder_ / "t.csv", format, folder_ / "t.npy", options);
  }

  Table packed() const { return read_table(folder_ / "t.npy"); }

  void expect_same(const Table& found, const Table& expected) const {
    EXPECT_EQ(found.names, expected.names);
    ASSERT_EQ(found.rows(), expected.rows());
    ASSERT_EQ(found.cols(), expected.cols());
    EXPECT_EQ(std::memcmp(found.values.data(), expected.values.data(), found.values.values().size_bytes()), 0);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Packing, KeepsEveryBit) {
  for (const Archive kind : {Archive::none, Archive::gzip, Archive::xz, Archive::zstd}) {
    for (const std::size_t rows : {1, 300, kind == Archive::xz ? 5000 : 400000}) {
      const auto path = write(text_of(rows), kind);
      const Packed result = pack();
      EXPECT_EQ(result.rows, rows);
      EXPECT_EQ(result.columns, 3U);
      EXPECT_EQ(result.about.names, (std::vector<std::string>{"x", "größe", "y"}));
      EXPECT_EQ(result.bytes, std::filesystem::file_size(folder_ / "t.npy"));
      expect_same(packed(), read_table(path));
    }
  }
}

TEST_F(Packing, GivesTheSameFingerprint) {
  const DatasetOptions options{.targets = {"y"}};
  const auto path = write(text_of(5000));
  pack();
  EXPECT_EQ(Dataset::from_file(folder_ / "t.npy", options).fingerprint(),
            Dataset::from_file(path, options).fingerprint());
}

TEST_F(Packing, GivesTheSameBytesForAnyThreads) {
  write(text_of(200000));
  pack({}, {.threads = 1});
  const std::string one = base::read_file(folder_ / "t.npy");
  pack({}, {.threads = 4});
  EXPECT_EQ(base::read_file(folder_ / "t.npy"), one);
}

TEST_F(Packing, TakesATableWithoutNames) {
  write("1 2\n3 4\n");
  pack();
  EXPECT_EQ(base::read_file(folder_ / "t.npy").size(), npy_header({2, 2}).size() + 4 * sizeof(double));
  EXPECT_EQ(packed().values(1, 0), 3);
}

TEST_F(Packing, LeavesOutIgnoredColumns) {
  write("name,a,b\nr1,1,2\nr2,3,4\n");
  pack({.ignore = {"name"}});
  EXPECT_EQ(packed().names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(packed().values(1, 1), 4);
  pack({.ignore = {"0", "-1"}});
  EXPECT_EQ(packed().names, std::vector<std::string>{"a"});
  EXPECT_EQ(packed().values(1, 0), 3);
  EXPECT_THAT([&] { pack({.ignore = {"c"}}); }, Fails(ErrorCode::data, "no column"));
  EXPECT_THAT([&] { pack({.ignore = {"name", "a", "b"}}); }, Fails(ErrorCode::usage, "all columns are ignored"));
}

/// Colours, some of them missing, days and numbers.
std::string mixed_text(std::size_t rows) {
  const char* const colours[] = {"red", "", "grün", "blue", "red"};
  std::string text = "x,colour,day,y\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("{},{},2024-01-{:02},{}\n", row % 7, colours[row % 5], 1 + row % 28, row % 11);
  }
  return text;
}

TEST_F(Packing, KeepsWordsAndDates) {
  const DatasetOptions options{.targets = {"y"}};
  const auto path = write(mixed_text(9000));
  const Packed result = pack();
  EXPECT_EQ(result.about.kinds,
            (std::vector{ColumnKind::number, ColumnKind::category, ColumnKind::date, ColumnKind::number}));
  EXPECT_EQ(result.about.levels[1], (std::vector<std::string>{"red", "grün", "blue"}));
  const Dataset text = Dataset::from_file(path, options);
  const Dataset array = Dataset::from_file(folder_ / "t.npy", options);
  EXPECT_EQ(array.fingerprint(), text.fingerprint());
  EXPECT_EQ(array.schema().inputs[1].levels, text.schema().inputs[1].levels);
  EXPECT_EQ(array.schema().inputs[2].kind, ColumnKind::date);
}

TEST_F(Packing, ReadsWordsWithTheCodesOfAModel) {
  write("colour,y\ngreen,1\nred,2\nmauve,3\n,4\n");
  pack();
  const Schema model{
      .inputs = {{.name = "colour", .position = 0, .kind = ColumnKind::category, .levels = {"red", "green"}}},
      .targets = {{.name = "y", .position = 1}},
      .has_names = true,
      .table_columns = 2};
  for (const char* file : {"t.csv", "t.npy"}) {
    const auto rows = open_rows_for(folder_ / file, open_table(folder_ / file, {}, model), model, {});
    const Matrix inputs = read_inputs(*rows);
    ASSERT_EQ(inputs.rows(), 4U);
    EXPECT_EQ(inputs(0, 0), 1) << file;
    EXPECT_EQ(inputs(1, 0), 0) << file;
    EXPECT_EQ(inputs(2, 0), 2) << file;
    EXPECT_TRUE(std::isnan(inputs(3, 0))) << file;
  }
}

TEST_F(Packing, GivesWordsAtAnyPlace) {
  write(mixed_text(5000));
  pack();
  const auto source = open_rows(folder_ / "t.npy", {.targets = {"y"}});
  const Dataset all = read_dataset(*source);
  const RowRanges ranges = source->ranges();
  ASSERT_TRUE(ranges);
  const RowBlock block = ranges(4321, 7);
  for (std::size_t row = 0; row < 7; ++row) {
    EXPECT_EQ(std::memcmp(block.inputs.row(row).data(), all.inputs().row(4321 + row).data(), 3 * sizeof(double)), 0);
  }
}

TEST_F(Packing, RefusesDatesInSinglesAndWordsAsNumbers) {
  write(mixed_text(30));
  EXPECT_THAT([&] { pack({.type = PackedType::float32}); },
              Fails(ErrorCode::usage, "day holds dates, which float32 rounds to minutes"));
  EXPECT_THAT([&] { pack({.numbers = {"colour"}}); }, Fails(ErrorCode::data, "t.csv:2:2 (colour)", "red"));
  pack({.type = PackedType::float32, .ignore = {"day"}});
  EXPECT_THAT([&] { Dataset::from_file(folder_ / "t.npy", {.targets = {"colour"}, .task = Task::regression}); },
              Fails(ErrorCode::usage, "the target \"colour\" holds words, but the task is regression"));
  EXPECT_THAT([&] { Dataset::from_file(folder_ / "t.npy", {.targets = {"y"}, .categories = {"x"}}); },
              Fails(ErrorCode::usage, "x is to hold words, but the array has numbers"));
}

TEST_F(Packing, TakesWordsWithoutNames) {
  write("1 a\n2 b\n3 a\n");
  EXPECT_TRUE(pack({}, {.header = false}).about.names.empty());
  const Dataset data = Dataset::from_file(folder_ / "t.npy", {.targets = {"0"}});
  EXPECT_TRUE(data.input_names().empty());
  EXPECT_EQ(data.schema().inputs[0].levels, (std::vector<std::string>{"a", "b"}));
}

TEST_F(Packing, RoundsToSinglesIfAsked) {
  write("a,b\n0.1,1e-60\n3,-2.5\n");
  pack({.type = PackedType::float32});
  EXPECT_EQ(packed().values(0, 0), static_cast<double>(0.1F));
  EXPECT_EQ(packed().values(0, 1), 0);
  EXPECT_EQ(packed().values(1, 1), -2.5);
  write("n,a\nx,1\ny,1e39\n");
  EXPECT_THAT([&] { pack({.type = PackedType::float32, .ignore = {"n"}}); },
              Fails(ErrorCode::data, "t.csv:3:2 (a): 1e+39 is beyond the largest float32"));
}

TEST_F(Packing, NamesThePlaceOfABadCellAndKeepsTheOldFile) {
  write("a,b\n1,2\n");
  pack();
  const std::string before = base::read_file(folder_ / "t.npy");
  write(text_of(300000) + "1,2,oops\n4,,5\n");
  EXPECT_THAT([&] { pack(); }, Fails(ErrorCode::data, "t.csv:300002:3 (y)", "oops"));
  write(text_of(300000) + "1,2\n");
  EXPECT_THAT([&] { pack(); }, Fails(ErrorCode::data, "t.csv:300002"));
  EXPECT_EQ(base::read_file(folder_ / "t.npy"), before);
}

TEST_F(Packing, TakesArraysOfAnyOrder) {
  write(text_of(100));
  pack();
  std::filesystem::rename(folder_ / "t.npy", folder_ / "from.npy");
  pack_file(folder_ / "from.npy", {}, folder_ / "t.npy", {.ignore = {"x"}});
  EXPECT_EQ(packed().names, (std::vector<std::string>{"größe", "y"}));
  const std::string fortran = "\x93NUMPY\x01" + std::string(1, '\0') + "\x76" + std::string(1, '\0') +
                              fmt::format("{:<117}\n", "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2), }") +
                              "\x01\x02\x03\x04";
  base::write_file(folder_ / "from.npy", test::pack(Archive::gzip, fortran));
  pack_file(folder_ / "from.npy", {}, folder_ / "t.npy", {});
  EXPECT_EQ(packed().values(0, 1), 3);
}

TEST_F(Packing, ReadsAPipeOnce) {
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string text = text_of(300000);
  const auto through_pipe = [&](const std::string& bytes) {
    std::jthread writer([&] {
      base::OutputFile file(pipe);
      file.write(bytes);
      file.commit();
    });
    return pack_file(pipe, {}, folder_ / "t.npy", {});
  };
  EXPECT_EQ(through_pipe(text).rows, 300000U);
  expect_same(packed(), read_table(write(text)));
  EXPECT_EQ(through_pipe(text + std::string(9'000'000, '\n') + "  \n").rows, 300000U);
  expect_same(packed(), read_table(write(text)));
  EXPECT_EQ(through_pipe("x,y\r\n1,2").rows, 1U);
  EXPECT_THAT([&] { through_pipe("x,y\n"); }, Fails(ErrorCode::data, "a header but no rows"));
  EXPECT_THAT([&] { through_pipe("x,y\n" + std::string(5'000'000, '\n')); },
              Fails(ErrorCode::data, "a header but no rows"));
  EXPECT_THAT([&] { through_pipe(text + std::string(5'000'000, '\n') + "1,2,3\n"); },
              Fails(ErrorCode::data, "300002: blank line"));
  EXPECT_THAT([&] { through_pipe(test::pack(Archive::gzip, text).substr(0, 100000)); },
              Fails(ErrorCode::data, "truncated"));
}

TEST_F(Packing, TellsHowFarItIs) {
  write(text_of(400000));
  std::vector<std::size_t> rows;
  std::size_t last_guess = 0;
  pack({.on_progress = [&](std::size_t done, std::size_t guess) {
    rows.push_back(done);
    last_guess = guess;
  }});
  EXPECT_GT(rows.size(), 1U);
  EXPECT_EQ(rows.back(), 400000U);
  EXPECT_EQ(last_guess, 400000U);
}

}  // namespace
}  // namespace credens::data
