// SPDX-License-Identifier: Apache-2.0

#include "base/team.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "support/error_matchers.hpp"
#include "support/thread_team.hpp"

namespace credens::base {
namespace {

using testing::ElementsAre;

TEST(Team, OfOneKeepsEverythingToItself) {
  Team& team = alone();
  EXPECT_TRUE(team.is_alone() && team.leads());
  EXPECT_THAT(team.gather("own"), ElementsAre("own"));
  EXPECT_EQ(team.broadcast("own"), "own");
  EXPECT_THAT(gather_dealt(team, {"a", "b"}), ElementsAre("a", "b"));
  EXPECT_EQ(team.all_gather("own"), "own");
  team.abort(Error(ErrorCode::io, "the disk is full"));  // and lives on
}

TEST(Team, GathersByRank) {
  test::run_team(3, [](Team& team) {
    const std::string own(1, static_cast<char>('a' + team.rank()));
    EXPECT_EQ(team.gather(own), team.leads() ? std::vector<std::string>({"a", "b", "c"}) : std::vector<std::string>());
    EXPECT_EQ(team.all_gather(own), "abc");
  });
}

TEST(GatherDealt, PutsPiecesInOrder) {
  for (const std::size_t pieces : {0U, 2U, 3U, 8U}) {
    test::run_team(3, [&](Team& team) {
      std::vector<std::string> own;
      std::vector<std::string> expected;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        if (piece % team.size() == team.rank()) own.push_back(std::to_string(piece));
        if (team.leads()) expected.push_back(std::to_string(piece));
      }
      EXPECT_EQ(gather_dealt(team, own), expected);
    });
  }
}

TEST(ShareOf, DealsEverythingOnceAndEvenly) {
  for (const std::size_t count : {0U, 1U, 5U, 10U}) {
    for (const std::size_t size : {1U, 2U, 3U, 7U, 20U}) {
      std::size_t next = 0;
      for (std::size_t rank = 0; rank < size; ++rank) {
        const Share share = share_of(count, rank, size);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(share.end - share.first, (count + size - 1) / size);
        next = share.end;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(Bytes, ComeBackAsTheyWere) {
  std::string bytes;
  append_value(bytes, 3.5);
  append_text(bytes, "a\nb");
  const std::vector<int> numbers{1, 2, 3};
  append_value(bytes, numbers.size());
  append_values(bytes, std::span<const int>(numbers));
  ByteReader reader(bytes);
  EXPECT_EQ(reader.value<double>(), 3.5);
  EXPECT_EQ(reader.text(), "a\nb");
  EXPECT_EQ(reader.counted<int>(), numbers);
  EXPECT_TRUE(reader.at_end());
}

TEST(Bytes, ThatEndEarlyAreRefused) {
  std::string bytes;
  append_value(bytes, std::size_t{1000});
  EXPECT_THAT([&] { ByteReader(bytes).text(); }, test::Fails(ErrorCode::failure, "ends after 0 bytes, expected 1000"));
  EXPECT_THAT([&] { ByteReader(bytes).counted<double>(); }, test::Fails(ErrorCode::failure, "ends within 1000 values"));
}

}  // namespace
}  // namespace credens::base
