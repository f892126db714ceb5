// SPDX-License-Identifier: Apache-2.0

#include "data/compression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

using namespace std::string_literals;

/// Larger than the buffers of the decoders.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  return text;
}

class Archives : public testing::TestWithParam<test::Archive> {
 protected:
  std::string pack(const std::string& bytes) const { return test::pack(GetParam(), bytes); }
};

TEST_P(Archives, AreUnpacked) {
  EXPECT_EQ(decompress(pack("1,2\n"), "t"), "1,2\n");
  EXPECT_EQ(decompress(pack(long_text()), "t"), long_text());
  EXPECT_EQ(decompress(pack(""), "t"), "");
}

TEST_P(Archives, MayBeJoined) {
  EXPECT_EQ(decompress(pack("1\n") + pack(long_text()) + pack("2\n"), "t"), "1\n" + long_text() + "2\n");
}

TEST_P(Archives, MayComeInPieces) {
  const std::string whole = pack("1\n") + pack(long_text()) + pack("") + pack("2\n");
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, whole.size()}) {
    for (const std::size_t missing : {0, 1, 9}) {
      const std::string_view archive = std::string_view(whole).substr(0, whole.size() - missing);
      Unpacker unpacker(archive, "t");
      std::string text;
      const auto unpack = [&] {
        for (std::size_t at = 0; at < archive.size(); at += size) unpacker.add(archive.substr(at, size), text);
        unpacker.finish(text);
      };
      if (missing > 0) {
        EXPECT_THAT(unpack, test::Fails(ErrorCode::data, "truncated")) << size;
      } else {
        unpack();
        EXPECT_EQ(text, "1\n" + long_text() + "2\n") << size;
      }
    }
  }
}

TEST_P(Archives, AreRefusedIfTruncatedAnywhere) {
  const std::string whole = pack(long_text());
  for (std::size_t size = 6; size < whole.size();
       size += size < 64 || size + 64 > whole.size() ? 1 : whole.size() / 50) {
    EXPECT_THAT([&] { decompress(whole.substr(0, size), "t.csv.gz"); },
                test::Fails(ErrorCode::data, "t.csv.gz: the ", "truncated"))
        << size << " of " << whole.size() << " bytes";
  }
}

TEST_P(Archives, AreRefusedIfTheLastOfSeveralIsTruncated) {
  const std::string whole = pack("1\n") + pack("2\n");
  EXPECT_THAT([&] { decompress(whole.substr(0, whole.size() - 1), "t"); }, test::Fails(ErrorCode::data, "truncated"));
}

TEST_P(Archives, AreRefusedIfDamaged) {
  std::string damaged = pack(long_text());
  damaged.replace(6, 8, 8, '\xff');
  EXPECT_THAT([&] { decompress(damaged, "t"); }, test::Fails(ErrorCode::data, "archive is damaged"));
}

TEST_P(Archives, AreRefusedIfSomethingElseFollows) {
  EXPECT_THAT([&] { decompress(pack("1\n") + "1,2,3,4\n", "t"); }, test::Fails(ErrorCode::data, "archive is damaged"));
}

TEST_P(Archives, HoldNoMoreThanTheyMay) {
  const std::string text = long_text();
  EXPECT_EQ(decompress(pack(text), "t", text.size()), text);
  const std::string sentence = "archive holds more than " + std::to_string(text.size() - 1) + " bytes";
  EXPECT_THAT([&] { decompress(pack(text), "t.gz", text.size() - 1); },
              test::Fails(ErrorCode::data, "t.gz: the ", sentence));
  EXPECT_THAT([&] { decompress(pack("1\n") + pack(text), "t", text.size()); },
              test::Fails(ErrorCode::data, "archive holds more than"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Archives, testing::Values(test::Archive::gzip, test::Archive::xz, test::Archive::zstd));

TEST(Decompress, ChecksTheSumsOfGzipAndXz) {
  for (const auto kind : {test::Archive::gzip, test::Archive::xz}) {
    std::string damaged = test::pack(kind, long_text());
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x10);
    EXPECT_THAT([&] { decompress(damaged, "t"); }, test::Fails(ErrorCode::data, "archive is damaged"));
  }
}

// The archive is what the program `zstd` makes of "1,2\n": one raw block and a checksum.
TEST(Decompress, ChecksTheSumsOfZstdWhereThereAreAny) {
  std::string archive = "\x28\xb5\x2f\xfd\x04\x58\x21\x00\x00"s + "1,2\n" + "\xbf\x93\x13\x60";
  EXPECT_EQ(decompress(archive, "t"), "1,2\n");
  archive[9] = '3';
  EXPECT_THAT([&] { decompress(archive, "t"); }, test::Fails(ErrorCode::data, "t: the zstd archive is damaged"));
}

// The frame states 36 bytes and holds one block of none. In one piece libzstd refuses it, in several it does not.
TEST(Decompress, RefusesFramesOfZstdThatHoldLessThanTheyState) {
  const std::string archive = "\x28\xb5\x2f\xfd\x20\x24\x01\x00\x00"s;
  EXPECT_THAT([&] { decompress(archive, "t"); }, test::Fails(ErrorCode::data, "t: the zstd archive is damaged"));
  const auto in_pieces = [&] {
    Unpacker unpacker(archive, "t");
    std::string text;
    for (const char byte : archive) unpacker.add({&byte, 1}, text);
  };
  EXPECT_THAT(in_pieces, test::Fails(ErrorCode::data, "t: the zstd archive is damaged"));
}

// What `zstd --long=31` begins with: a window of 2 GiB.
TEST(Decompress, SaysThatAnArchiveNeedsTooMuchMemory) {
  const std::string archive = "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"s;
  EXPECT_THAT([&] { decompress(archive, "t"); }, test::Fails(ErrorCode::data, "needs more than 128 MiB of memory"));
}

// What `xz --lzma2=dict=128MiB` begins with.
TEST(Decompress, SaysThatAnXzArchiveNeedsTooMuchMemory) {
  const std::string archive =
      "\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x00\x21\x01\x1e\x00\x00\x00\x9b\x07\x51\x66\x01\x00\x03\x31\x2c\x32\x0a\x00\x2d\x27\x76\x6a\xad\xc7\x4e\x59\x00\x01\x1c\x04\x6f\x2c\x9c\xc1\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a"s;
  EXPECT_THAT([&] { decompress(archive, "t"); },
              test::Fails(ErrorCode::data, "the xz archive needs more than 100 MiB of memory to unpack"));
}

TEST(Decompress, LeavesOtherBytesAlone) {
  EXPECT_EQ(decompress("1,2\n", "t"), "1,2\n");
  EXPECT_EQ(decompress("", "t"), "");
  EXPECT_EQ(decompress("\x1f", "t"), "\x1f");
}

}  // namespace
}  // namespace credens::data
