// SPDX-License-Identifier: Apache-2.0
//
// From folders; tests/fetch has the network.

#include "cli/fetch_set.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "support/error_matchers.hpp"
#include "support/known_sets.hpp"
#include "support/temporary_folder.hpp"
#include "support/zip_archive.hpp"
#include "unit/data/archives.hpp"

namespace credens::cli {
namespace {

using test::put;
namespace fs = std::filesystem;

class FetchSet : public testing::Test {
 protected:
  const test::TemporaryFolder folder;
  const fs::path mirror = folder / "mirror";
  const fs::path target = folder / "data";
  const data::KnownSet set = test::small_set();
  const std::string test_text = test::first_piece + test::second_piece;

  std::vector<FetchedPart> fetch() const { return fetch_set(set, {.folder = target, .from = mirror.string()}); }

  void put_archive(const std::string& train) const {
    put(mirror / "small+set.zip", test::make_zip({{"folder/test-2.csv", test::second_piece},
                                                  {"folder/train.csv", train},
                                                  {"folder/test-1.csv", test::first_piece}}));
  }

  void expect_all_written(const std::vector<FetchedPart>& parts) const {
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_TRUE(parts[0].is_new && parts[1].is_new);
    EXPECT_EQ(parts[1].file, target / "small-set" / "test.csv");
    EXPECT_EQ(base::read_file(target / "small-set" / "train.csv"), test::train_text);
    EXPECT_EQ(base::read_file(target / "small-set" / "test.csv"), test_text);
  }
};

TEST_F(FetchSet, UnpacksTheOriginalArchive) {
  put_archive(test::train_text);
  expect_all_written(fetch());
}

TEST_F(FetchSet, TakesPiecesFromAFolder) {
  put(mirror / "train.csv", test::train_text);
  put(mirror / "test-2.csv", test::second_piece);
  put(mirror / "test-1.csv", test::first_piece);
  expect_all_written(fetch());
}

TEST_F(FetchSet, TakesJoinedFilesFromAFolder) {
  put(mirror / "small-set/train.csv", test::train_text);
  put(mirror / "small-set/test.csv", test_text);
  expect_all_written(fetch());
}

TEST_F(FetchSet, KeepsWhatIsThereAndRight) {
  put(target / "train.csv", test::train_text);
  put_archive(test::train_text);
  const std::vector<FetchedPart> parts = fetch();
  EXPECT_FALSE(parts[0].is_new);
  EXPECT_EQ(parts[0].file, target / "train.csv");
  EXPECT_TRUE(parts[1].is_new);
  fs::remove_all(mirror);
  EXPECT_FALSE(fetch()[1].is_new);  // nothing is read from the mirror any more
}

TEST_F(FetchSet, LeavesAWrongFileAsItIs) {
  put(target / "small-set/train.csv", "1,2,3\n");
  put_archive(test::train_text);
  EXPECT_THAT([&] { fetch(); }, test::Fails(ErrorCode::data, "train.csv: these are not", "move it away"));
  EXPECT_EQ(base::read_file(target / "small-set/train.csv"), "1,2,3\n");
  EXPECT_FALSE(fs::exists(target / "small-set/test.csv"));
}

TEST_F(FetchSet, WritesNothingUnlessAllPartsAreRight) {
  put_archive("1,2,3\n");
  EXPECT_THAT([&] { fetch(); }, test::Fails(ErrorCode::data, "small+set.zip: these are not"));
  put(mirror / "small+set.zip", test::make_zip({{"train.csv", test::train_text}}));
  EXPECT_THAT([&] { fetch(); }, test::Fails(ErrorCode::data, "the archive holds no test.csv"));
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(FetchSet, KeepsFoldersThatItDidNotMake) {
  fs::create_directories(target);
  put_archive("1,2,3\n");
  EXPECT_THROW(fetch(), Error);
  EXPECT_TRUE(fs::exists(target));
  EXPECT_FALSE(fs::exists(target / "small-set"));
}

TEST_F(FetchSet, WritesNothingAfterAStop) {
  put_archive(test::train_text);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT([&] { fetch_set(set, {.folder = target, .from = mirror.string(), .stop = stop.get_token()}); },
              test::Fails(ErrorCode::interrupted, "small"));
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(FetchSet, SaysWhatIsNotThere) {
  EXPECT_THAT([&] { fetch(); }, test::Fails(ErrorCode::io, mirror.string() + ": not a folder"));
  fs::create_directories(mirror);
  EXPECT_THAT([&] { fetch(); }, test::Fails(ErrorCode::io, "neither 7/small+set.zip nor train.csv is there"));
  EXPECT_THAT([&] { fetch_set(set, {.folder = target, .from = "ftp://host/folder"}); },
              test::Fails(ErrorCode::usage, "--from is \"ftp://host/folder\""));
}

TEST_F(FetchSet, UnpacksNoMoreThanTheSetMayHave) {
  put_archive(test::train_text + std::string(1000, '\n'));
  EXPECT_THAT([&] { fetch(); }, test::Fails(ErrorCode::data, "expected at most 1000"));
}

TEST_F(FetchSet, UnpacksNoMoreOfACompressedFileThanTheSetMayHave) {
  put(mirror / "train.csv.gz", test::pack(test::Archive::gzip, test::train_text + std::string(100'000, '\n')));
  put(mirror / "test.csv", test_text);
  EXPECT_THAT([&] { fetch(); },
              test::Fails(ErrorCode::data, "train.csv.gz: the gzip archive holds more than 1000 bytes"));
  EXPECT_FALSE(fs::exists(target));
}

TEST_F(FetchSet, ChecksDigests) {
  const data::KnownSet digest = test::digest_set();
  put(mirror / "8/digest.zip", test::make_zip({{"all.txt", test::train_text}}));
  EXPECT_TRUE(fetch_set(digest, {.folder = target, .from = mirror.string()})[0].is_new);
  EXPECT_EQ(base::read_file(target / "digest-set/all.txt"), test::train_text);
  put(target / "digest-set/all.txt", "1,2,3\n");
  EXPECT_THAT([&] { fetch_set(digest, {.folder = target, .from = mirror.string()}); },
              test::Fails(ErrorCode::data, "6 bytes of text, expected the 20 of all.txt"));
}

}  // namespace
}  // namespace credens::cli
