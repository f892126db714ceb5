// SPDX-License-Identifier: Apache-2.0

#include "data/known_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "archives.hpp"
#include "support/error_matchers.hpp"
#include "support/known_sets.hpp"
#include "support/temporary_folder.hpp"

namespace credens::data {
namespace {

using test::put;
namespace fs = std::filesystem;

/// Nothing outside `folder` is looked at.
class KnownData : public testing::Test {
 protected:
  const test::TemporaryFolder folder;
  const test::Variable data{"CREDENS_DATA", std::nullopt};
  const test::Variable cache{"XDG_CACHE_HOME", (folder / "cache").string()};
  const KnownSet set = test::small_set();

  void put_joined(const fs::path& place) const {
    put(place / "train.csv", test::train_text);
    put(place / "test.csv", test::first_piece + test::second_piece);
  }
};

TEST_F(KnownData, FindsTheSetsOfThePaper) {
  for (const char* name : {"qsar", "yacht", "blog", "year"}) EXPECT_EQ(known_set(name).name, name);
  EXPECT_EQ(known_sets().size(), 4U);
  EXPECT_THAT([] { known_set("yatch"); }, test::Fails(ErrorCode::usage, "\"yatch\"", "qsar, yacht, blog, year"));
}

TEST_F(KnownData, LooksInTheFolderThenTheVariableThenTheCache) {
  const test::Variable variable("CREDENS_DATA", "/elsewhere");
  EXPECT_EQ(data_folders("/here"),
            (std::vector<fs::path>{"/here", "/elsewhere", folder / "cache" / "credens" / "data"}));
  const test::Variable no_cache("XDG_CACHE_HOME", std::nullopt);
  const test::Variable home("HOME", "/home/somebody");
  EXPECT_EQ(data_folders(""), (std::vector<fs::path>{"/elsewhere", "/home/somebody/.cache/credens/data"}));
}

TEST_F(KnownData, IsNothingWhereAPartIsMissing) {
  EXPECT_FALSE(find_data(set, folder.path()));
  put(folder / "train.csv", test::train_text);
  EXPECT_FALSE(find_data(set, folder.path()));
}

TEST_F(KnownData, IsFoundInTheCache) {
  put_joined(folder / "cache/credens/data/small-set");
  EXPECT_EQ(find_data(set, folder / "absent")->folder, folder / "cache/credens/data");
}

TEST_F(KnownData, ReadsTheJoinedLayout) {
  put_joined(folder.path());
  const LoadedData loaded = load_data(set, find_data(set, folder.path()).value());
  EXPECT_EQ(loaded.train.rows(), 3U);
  EXPECT_EQ(loaded.test.rows(), 3U);
  EXPECT_EQ(loaded.train.targets()(2, 0), 9.5);
}

TEST_F(KnownData, ReadsTheOriginalLayoutInTheOrderOfNames) {
  put(folder / "small-set/train.csv", test::train_text);
  put(folder / "small-set/test-2.csv", test::second_piece);
  put(folder / "small-set/test-1.csv", test::first_piece);
  put(folder / "small-set/test_files.txt", "no piece");
  const LoadedData loaded = load_data(set, find_data(set, folder.path()).value());
  EXPECT_EQ(loaded.test.targets()(0, 0), 12);
  EXPECT_EQ(loaded.test.rows(), 3U);
}

TEST_F(KnownData, ReadsCompressedFilesAndOtherLineEnds) {
  std::string crlf;
  for (const char letter : test::train_text) crlf += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
  put(folder / "train.csv.gz", test::pack(test::Archive::gzip, crlf));
  put(folder / "test-1.csv.xz", test::pack(test::Archive::xz, test::first_piece.substr(0, 8)));  // no last line end
  put(folder / "test-2.csv.xz", test::pack(test::Archive::xz, test::second_piece));
  const LoadedData loaded = load_data(set, find_data(set, folder.path()).value());
  EXPECT_EQ(loaded.train.rows(), 3U);
  EXPECT_EQ(loaded.test.rows(), 3U);
}

TEST_F(KnownData, RefusesOtherValues) {
  put_joined(folder.path());
  put(folder / "test.csv", test::second_piece + test::first_piece);
  const FoundData found = find_data(set, folder.path()).value();
  EXPECT_THAT([&] { load_data(set, found); },
              test::Fails(ErrorCode::data, "test.csv: these are not the published values", "3 rows"));
}

TEST_F(KnownData, SplitsASetThatIsKnownByItsDigest) {
  const KnownSet digest = test::digest_set();
  EXPECT_FALSE(digest.is_confirmed());
  EXPECT_TRUE(set.is_confirmed());
  put(folder / "all.txt", test::train_text);
  const LoadedData loaded = load_data(digest, find_data(digest, folder.path()).value());
  EXPECT_EQ(loaded.train.rows(), 2U);
  EXPECT_EQ(loaded.test.rows(), 1U);
  EXPECT_EQ(loaded.test.targets()(0, 0), 7);
  EXPECT_EQ(loaded.test.inputs()(0, 1), 9.5);
}

TEST_F(KnownData, RefusesAnotherSizeOrDigest) {
  const KnownSet digest = test::digest_set();
  std::string changed = test::train_text;
  changed.front() = '2';
  EXPECT_THAT([&] { check_text(digest, digest.parts[0], changed, "here"); },
              test::Fails(ErrorCode::data, "here: this is not all.txt: its md5 is"));
  EXPECT_THAT([&] { check_text(digest, digest.parts[0], changed + "1,2,3\n", "here"); },
              test::Fails(ErrorCode::data, "here: 26 bytes of text, expected the 20 of all.txt"));
}

struct Shape {
  const char* name;
  std::size_t train_rows;
  std::size_t test_rows;
  std::size_t inputs;
};

class SharedData : public testing::TestWithParam<Shape> {};

TEST_P(SharedData, HasThePublishedValues) {
  const test::Variable variable("CREDENS_DATA", std::nullopt);
  const test::Variable cache("XDG_CACHE_HOME", "/absent");
  const auto [name, train_rows, test_rows, inputs] = GetParam();
  const std::optional<FoundData> found = find_data(known_set(name), CREDENS_SHARED_DATA);
  if (!found) GTEST_SKIP() << "the public data are not on this machine";
  const LoadedData loaded = load_data(known_set(name), *found);
  EXPECT_EQ(loaded.train.rows(), train_rows);
  EXPECT_EQ(loaded.test.rows(), test_rows);
  EXPECT_EQ(loaded.train.inputs().cols(), inputs);
}

INSTANTIATE_TEST_SUITE_P(KnownData, SharedData,
                         testing::Values(Shape{"qsar", 546, 0, 8}, Shape{"yacht", 308, 0, 6},
                                         Shape{"blog", 52397, 7624, 280}));

/// The real sample of Year as a set of its own: the code that reads the complete file.
TEST(YearSample, IsReadLikeTheWholeFile) {
  const fs::path folder = fs::path(CREDENS_SHARED_DATA) / "year-prediction-msd-sample";
  if (!fs::exists(folder)) GTEST_SKIP() << "the public data are not on this machine";
  KnownSet sample = known_set("year");
  const std::string text = joined_text(std::vector<fs::path>{folder / "sample7000.csv.xz"}, known_set("year").largest);
  sample.folder = "year-prediction-msd-sample";
  sample.parts = {{.file = "sample7000.csv", .size = 6'092'990, .md5 = md5(text)}};
  sample.training_rows = 5000;
  const LoadedData loaded = load_data(sample, find_data(sample, CREDENS_SHARED_DATA).value());
  EXPECT_EQ(loaded.train.rows(), 5000U);
  EXPECT_EQ(loaded.test.rows(), 2000U);
  EXPECT_EQ(loaded.train.inputs().cols(), 90U);
  EXPECT_GE(loaded.train.targets()(0, 0), 1922);
}

}  // namespace
}  // namespace credens::data
