// SPDX-License-Identifier: Apache-2.0

#include "store/checkpoint.hpp"

#include <gtest/gtest.h>
#include <credens/store.hpp>

#include <cmath>
#include <fstream>

#include "base/file.hpp"
#include "support/edit_network.hpp"
#include "support/effort.hpp"
#include "unit/store/example_ensembles.hpp"

namespace credens::store {
namespace {

namespace fs = std::filesystem;

FitIdentity example_identity() {
  return {{{"members", std::int64_t{3}},
           {"epochs", std::int64_t{60}},
           {"learning_rate", 0.1},
           {"noise", std::string("shared")}},
          {1030, "0123456789abcdef0123456789abcdef"},
          "0.1.0"};
}

class CheckpointTest : public testing::Test {
 protected:
  Thrown refusal_with(const std::function<void(FitIdentity&)>& change) {
    FitIdentity identity = example_identity();
    change(identity);
    return thrown_by([&] { Checkpoint(folder_, identity).load(); });
  }

  fs::path file(std::string_view name) const { return folder_ / name; }

  TemporaryFolder root_;
  fs::path folder_ = root_ / "model.checkpoint";
  Checkpoint checkpoint_{folder_, example_identity()};
  model::EnsembleState state_ = example_state({.posterior = PosteriorKind::delta,
                                               .noise = NoiseKind::constant,
                                               .outputs = 2,
                                               .hidden = {{3}, {}, {4, 2}},
                                               .members = {0, 1, 2},
                                               .total_members = 3,
                                               .frequencies = {2, 0, 1}});
};

TEST_F(CheckpointTest, KeepsMembersAscendingHoweverTheyFinished) {
  for (const std::size_t index : {2, 0, 1}) checkpoint_.save(state_.members[index]);
  const std::vector<model::Member> members = checkpoint_.load();
  ASSERT_EQ(members.size(), 3U);
  for (std::size_t l = 0; l < 3; ++l) expect_same_member(members[l], state_.members[l]);
  EXPECT_TRUE(fs::exists(file("member-00002.safetensors")));
}

TEST_F(CheckpointTest, KeepsWideMembersToo) {
  const model::EnsembleState wide =
      example_state({.posterior = PosteriorKind::full, .random_bias = true, .outputs = 2});
  checkpoint_.save(wide.members[1]);
  expect_same_member(checkpoint_.load().at(0), wide.members[1]);
}

TEST_F(CheckpointTest, IsEmptyWhereNothingFinished) {
  EXPECT_TRUE(checkpoint_.load().empty());
  EXPECT_FALSE(checkpoint_.exists());
  fs::create_directory(folder_);
  EXPECT_TRUE(checkpoint_.load().empty());
  EXPECT_FALSE(checkpoint_.exists());
  checkpoint_.save(state_.members[1]);
  EXPECT_TRUE(checkpoint_.exists());
}

TEST_F(CheckpointTest, NamesTheFirstOptionThatDiffers) {
  checkpoint_.save(state_.members[0]);
  const std::string where = file("member-00000.safetensors").string() + ": this checkpoint was made with ";

  const Thrown epochs = refusal_with([](FitIdentity& now) {
    now.options[1].second = std::int64_t{80};
    now.options[2].second = 0.2;
  });
  EXPECT_EQ(epochs.code, ErrorCode::usage);
  EXPECT_EQ(epochs.sentence, where + "epochs = 60, now 80");
  EXPECT_EQ(refusal_with([](FitIdentity& now) { now.options.pop_back(); }).sentence,
            where + "noise = shared, now not set");
  EXPECT_EQ(refusal_with([](FitIdentity& now) { now.options.emplace_back("patience", std::int64_t{20}); }).sentence,
            where + "patience = not set, now 20");
}

TEST_F(CheckpointTest, RefusesOtherDataAndVersions) {
  checkpoint_.save(state_.members[0]);
  const std::string where = file("member-00000.safetensors").string() + ": this checkpoint was made with ";
  const Thrown rows = refusal_with([](FitIdentity& now) { now.data.rows = 7; });
  EXPECT_EQ(rows.code, ErrorCode::usage);
  EXPECT_EQ(rows.sentence, where + "other data: 1030 rows, now 7");
  EXPECT_EQ(refusal_with([](FitIdentity& now) { now.data.fingerprint = "ffff"; }).sentence,
            where + "other data: fingerprint 0123456789abcdef0123456789abcdef, now ffff");
  EXPECT_EQ(refusal_with([](FitIdentity& now) { now.version = "0.2.0"; }).sentence, where + "Credens 0.1.0, now 0.2.0");
}

TEST_F(CheckpointTest, RefusesDamagedFiles) {
  checkpoint_.save(state_.members[0]);
  const fs::path path = file("member-00000.safetensors");
  std::string bytes = base::read_file(path);
  base::write_file(path, bytes.substr(0, bytes.size() - 5));
  EXPECT_EQ(thrown_by([&] { checkpoint_.load(); }).code, ErrorCode::model);
  bytes.back() ^= 1;
  base::write_file(path, bytes);
  const Thrown thrown = thrown_by([&] { checkpoint_.load(); });
  EXPECT_EQ(thrown.code, ErrorCode::model);
  EXPECT_TRUE(thrown.sentence.starts_with(path.string() + ": damaged: checksum ")) << thrown.sentence;
}

TEST_F(CheckpointTest, RefusesEveryTruncationAndEveryBitFlip) {
  checkpoint_.save(state_.members[0]);
  const fs::path path = file("member-00000.safetensors");
  const std::string whole = base::read_file(path);
  const auto refusal_of = [&](std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;  // not synced, which would take its time
    return thrown_by([&] { checkpoint_.load(); }).code;
  };
  for (std::size_t size = 0; size < whole.size(); size += test::stride_of_cases(31)) {
    ASSERT_EQ(refusal_of(whole.substr(0, size)), ErrorCode::model) << size;
  }
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += test::stride_of_cases(97)) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ static_cast<char>(1U << (bit % 8)));
    ASSERT_EQ(refusal_of(flipped), ErrorCode::model) << bit;
  }
}

TEST_F(CheckpointTest, RefusesFilesThatAreNotTheMemberOfTheirName) {
  checkpoint_.save(state_.members[0]);
  fs::rename(file("member-00000.safetensors"), file("member-00002.safetensors"));
  EXPECT_EQ(thrown_by([&] { checkpoint_.load(); }).sentence,
            file("member-00002.safetensors").string() + ": it holds member 0, expected member 2");
  save(example_ensemble({}), file("member-00002.safetensors"));
  EXPECT_EQ(
      thrown_by([&] { checkpoint_.load(); }).sentence,
      file("member-00002.safetensors").string() + ": it holds a whole model, expected one member of a checkpoint");
}

TEST_F(CheckpointTest, IsNoModel) {
  checkpoint_.save(state_.members[0]);
  const Thrown thrown = thrown_by([&] { credens::load(file("member-00000.safetensors")); });
  EXPECT_EQ(thrown.code, ErrorCode::model);
}

TEST_F(CheckpointTest, RefusesAMemberThatIsNotFinite) {
  test::edit_network(state_.members[0], [](model::Mlp& network) { network.layer(0)[0] = std::nanf(""); });
  EXPECT_EQ(thrown_by([&] { checkpoint_.save(state_.members[0]); }).code, ErrorCode::model);
  EXPECT_FALSE(checkpoint_.exists());
}

TEST_F(CheckpointTest, IgnoresAndSweepsWhatAnInterruptedWriteLeft) {
  checkpoint_.save(state_.members[0]);
  std::ofstream(file(".credens-4711-1.tmp")) << "half";
  EXPECT_EQ(checkpoint_.load().size(), 1U);
  checkpoint_.remove();
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(CheckpointTest, RemovesOnlyItsOwnFiles) {
  checkpoint_.save(state_.members[0]);
  for (const char* name :
       {"notes.txt", "member-1.safetensors", "member-000001.safetensors", "member-00001.safetensors.bak"}) {
    std::ofstream(file(name)) << "mine";
  }
  EXPECT_EQ(checkpoint_.load().size(), 1U);
  checkpoint_.remove();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 4);
}

TEST_F(CheckpointTest, CanBeRemovedWhereItIsAbsent) {
  EXPECT_NO_THROW(checkpoint_.remove());
}

TEST_F(CheckpointTest, SaysThatItsFolderIsAFile) {
  std::ofstream(folder_) << "a file";
  EXPECT_EQ(thrown_by([&] { checkpoint_.load(); }).code, ErrorCode::io);
  EXPECT_EQ(thrown_by([&] { checkpoint_.save(state_.members[0]); }).code, ErrorCode::io);
}

}  // namespace
}  // namespace credens::store
