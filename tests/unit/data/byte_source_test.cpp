// SPDX-License-Identifier: Apache-2.0

#include "data/byte_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <future>
#include <thread>

#include "base/file.hpp"
#include "support/error_matchers.hpp"
#include "support/temporary_folder.hpp"
#include "unit/data/archives.hpp"

namespace credens::data {
namespace {

class Bytes : public testing::Test {
 protected:
  Bytes() {
    for (std::size_t i = 0; i < 20000; ++i) content_ += static_cast<char>('a' + i * i % 26);
  }

  void expect_windows(ByteSource& bytes) const {
    EXPECT_EQ(bytes.size(), content_.size());
    for (const std::size_t first :
         {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{9999}}) {
      EXPECT_EQ(bytes.window(first, 5000), content_.substr(first, 5000)) << first;
    }
    EXPECT_EQ(bytes.window(19990, 100), content_.substr(19990));
    EXPECT_EQ(bytes.window(20000, 1), "");
    EXPECT_EQ(bytes.window(30000, 1), "");
  }

  std::string content_;
  test::TemporaryFolder folder_;
};

TEST_F(Bytes, OfAFileComeInWindows) {
  base::write_file(folder_ / "file", content_);
  ByteSource bytes(folder_ / "file");
  expect_windows(bytes);
  EXPECT_EQ(bytes.name(), (folder_ / "file").string());
}

TEST_F(Bytes, OfAnArchiveAreThoseWithin) {
  base::write_file(folder_ / "file", test::pack(test::Archive::zstd, content_));
  ByteSource bytes(folder_ / "file");
  expect_windows(bytes);
}

TEST_F(Bytes, OfADamagedArchiveLeaveNoFileOpen) {
  const std::string archive = test::pack(test::Archive::zstd, content_);
  base::write_file(folder_ / "file", archive.substr(0, archive.size() / 2));
  const auto open_files = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open_files();
  EXPECT_THAT([&] { ByteSource bytes(folder_ / "file"); }, test::Fails(ErrorCode::data, "truncated"));
  EXPECT_EQ(open_files(), before);
}

TEST_F(Bytes, OfAPipeAreReadOnce) {
  const auto path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] {
    base::OutputFile file(path);
    file.write(content_);
    file.commit();
  });
  ByteSource bytes(path);
  expect_windows(bytes);
}

TEST_F(Bytes, InOnePassComeForwards) {
  for (const test::Archive kind : {test::Archive::none, test::Archive::gzip, test::Archive::xz, test::Archive::zstd}) {
    base::write_file(folder_ / "file", test::pack(kind, content_));
    ByteSource bytes(folder_ / "file", Passes::one);
    EXPECT_EQ(bytes.knows_size(), kind == test::Archive::none);
    EXPECT_EQ(bytes.window(0, 7), content_.substr(0, 7));
    EXPECT_EQ(bytes.window(0, 9000), content_.substr(0, 9000));
    EXPECT_EQ(bytes.window(5000, 9000), content_.substr(5000, 9000));
    EXPECT_EQ(bytes.window(19990, 100), content_.substr(19990));
    EXPECT_EQ(bytes.window(20000, 1), "");
    EXPECT_EQ(bytes.size(), content_.size());
    if (kind == test::Archive::none) continue;
    EXPECT_THAT([&] { bytes.window(0, 1); }, test::Fails(ErrorCode::failure, "in one pass"));
  }
}

TEST_F(Bytes, OfAPipeAreGivenAsTheyArrive) {
  const auto path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::promise<void> first_seen;
  std::jthread writer([&] {
    base::OutputFile file(path);
    file.write("12345678");
    file.flush();
    first_seen.get_future().wait();
    file.write("9");
    file.commit();
  });
  ByteSource bytes(path, Passes::one);
  EXPECT_EQ(bytes.arrived(0, 8, 100), "12345678");
  EXPECT_FALSE(bytes.ended());
  first_seen.set_value();
  EXPECT_EQ(bytes.arrived(6, 100, 100), "789");
  EXPECT_TRUE(bytes.ended());
}

TEST_F(Bytes, WhoseSizeIsAskedForInOnePassAreAllThere) {
  base::write_file(folder_ / "file", test::pack(test::Archive::gzip, content_));
  ByteSource bytes(folder_ / "file", Passes::one);
  EXPECT_EQ(bytes.window(0, 7), content_.substr(0, 7));
  EXPECT_EQ(bytes.size(), content_.size());
  expect_windows(bytes);
}

TEST_F(Bytes, ThatAreManyWaitInATemporaryFile) {
  std::string many;
  while (many.size() < (std::size_t{65} << 20)) many += content_;
  base::write_file(folder_ / "file", test::pack(test::Archive::zstd, many));
  ByteSource bytes(folder_ / "file");
  EXPECT_EQ(bytes.size(), many.size());
  for (const std::size_t first : {many.size() - 10, std::size_t{12345}, (std::size_t{64} << 20) - 5}) {
    EXPECT_EQ(bytes.window(first, 4096), std::string_view(many).substr(first, 4096));
  }
}

TEST_F(Bytes, WhoseSizeIsAskedForInOnePassWaitThereToo) {
  std::string many;
  while (many.size() < (std::size_t{65} << 20)) many += content_;
  base::write_file(folder_ / "file", test::pack(test::Archive::zstd, many));
  const auto open_files = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open_files();
  ByteSource bytes(folder_ / "file", Passes::one);
  EXPECT_EQ(bytes.window(0, 7), many.substr(0, 7));
  EXPECT_EQ(bytes.size(), many.size());
  EXPECT_TRUE(bytes.knows_size());
  EXPECT_EQ(open_files(), before + 1);  // the temporary one in place of the archive
  for (const std::size_t first : {many.size() - 10, std::size_t{0}, (std::size_t{64} << 20) - 5}) {
    EXPECT_EQ(bytes.window(first, 4096), std::string_view(many).substr(first, 4096));
  }
}

/// A frame of 4,000 blocks that each hold one value 131,072 times: 500 MB in 16 KB.
std::string repeated_values() {
  using namespace std::string_literals;
  constexpr std::uint32_t blocks = 4000;
  std::string archive = "\x28\xb5\x2f\xfd\x00\x38"s;  // no size, a window of 128 KB
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::uint32_t header = (131072U << 3) | (1U << 1) | (block + 1 == blocks ? 1U : 0U);
    for (const unsigned shift : {0U, 8U, 16U}) archive += static_cast<char>(header >> shift & 0xffU);
    archive += 'x';
  }
  return archive;
}

TEST_F(Bytes, OfAnArchiveComeAFewAtATimeHoweverManyThereAre) {
  base::write_file(folder_ / "file", repeated_values());
  ByteFeed feed(folder_ / "file");
  std::size_t total = 0;
  for (std::string bytes; feed.append(bytes); bytes.clear()) {
    ASSERT_LE(bytes.size(), std::size_t{5} << 20);
    total += bytes.size();
  }
  EXPECT_EQ(total, std::size_t{4000} * 131072);
}

TEST_F(Bytes, OfAFileWithoutASizeAreRead) {
  ByteSource bytes("/proc/self/status");
  EXPECT_THAT(std::string(bytes.window(0, 100)), testing::StartsWith("Name:"));
}

TEST_F(Bytes, OfNothingAreNone) {
  base::write_file(folder_ / "empty", "");
  ByteSource bytes(folder_ / "empty");
  EXPECT_EQ(bytes.size(), 0U);
  EXPECT_EQ(bytes.window(0, 10), "");
}

TEST_F(Bytes, ThatCannotBeReadSayWhy) {
  EXPECT_THAT([&] { ByteSource(folder_ / "absent"); }, test::Fails(ErrorCode::io, "absent: cannot open"));
  EXPECT_THAT([&] { ByteSource{folder_.path()}; }, test::Fails(ErrorCode::io, "is a folder"));
}

}  // namespace
}  // namespace credens::data
