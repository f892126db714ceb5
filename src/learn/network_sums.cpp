// SPDX-License-Identifier: Apache-2.0

#include "learn/network_sums.hpp"

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "base/parallel.hpp"
#include "learn/wave.hpp"
#include "math/statistics.hpp"
#include "model/member_source.hpp"

namespace credens::learn {

namespace {

double last_layer_squared_norm(const model::Mlp& network, bool random_bias) {
  double sum = 0;
  const Matrix weights = network.mean_weight();
  for (const double w : weights.values()) sum += w * w;
  if (random_bias) {
    for (const double b : network.mean_bias()) sum += b * b;
  }
  return sum;
}

/// Bytes of the sums of a block.
std::size_t bytes_of(const std::vector<MemberStatistics>& members) {
  std::size_t values = 0;
  for (const MemberStatistics& member : members) {
    values += 1 + member.diagonal.size() * member.width + member.gram.size() * member.width * member.width;
  }
  return values * sizeof(double);
}

/// Sums that grow block by block, in the order of the rows.
class GrowingSums {
 public:
  GrowingSums(std::span<const model::Member> members, std::vector<MemberStatistics> no_rows, int threads)
      : members_(members), total_(std::move(no_rows)), threads_(threads) {}

  /// Ranks take some blocks of each wave, those of lower ranks come first. The sums are rank 0's until they are shared.
  void add_all(EncodedBlocks& blocks, std::size_t wave, base::Team& team) {
    std::vector<EncodedBlock> own(wave);
    for (bool has_more = true; has_more;) {
      std::size_t count = 0;
      for (std::size_t seen = 0; has_more && seen < wave * team.size(); ++seen) {
        const bool is_own = seen / wave == team.rank();
        has_more = blocks.next(is_own, own[is_own ? count : 0]);
        count += has_more && is_own ? 1 : 0;
      }
      add_wave(std::span(own).first(count), team);
    }
  }

  /// All ranks get the sums of rank 0.
  void share(base::Team& team) {
    if (team.is_alone()) return;
    std::string bytes;
    append(total_, bytes);
    bytes = team.broadcast(std::move(bytes));
    base::ByteReader reader(bytes);
    for (MemberStatistics& member : total_) read_sums(reader, member);
  }

  std::vector<MemberStatistics> value() && { return std::move(total_); }

 private:
  using Sums = std::vector<MemberStatistics>;  ///< one per member

  void add_wave(std::span<const EncodedBlock> own, base::Team& team) {
    std::vector<Sums> sums(own.size());
    base::parallel_for(own.size(), threads_, [&](std::size_t i) { sums[i] = block_sums(own[i]); });
    if (team.is_alone()) {
      for (const Sums& block : sums) add(block);
      return;
    }
    std::string bytes;
    for (const Sums& block : sums) append(block, bytes);
    team.collect(std::move(bytes), [this](std::string_view of_rank) { add(of_rank); });
  }

  static void append(const Sums& sums, std::string& bytes) {
    for (const MemberStatistics& member : sums) append_sums(bytes, member);
  }

  /// Blocks that another rank has summed.
  void add(std::string_view bytes) {
    if (bytes.empty()) return;
    Sums block = total_;
    for (base::ByteReader reader(bytes); !reader.at_end();) {
      for (MemberStatistics& member : block) read_sums(reader, member);
      add(block);
    }
  }

  void add(const Sums& block) {
    for (std::size_t l = 0; l < block.size(); ++l) learn::add(total_[l], block[l]);
  }

  /// One block at all members, a few rows at a time while they are in the cache.
  Sums block_sums(const EncodedBlock& block) const {
    model::NetworkReader reader(members_);
    reader.set_rows(block.encoded);
    reader.take(0, block.encoded.rows);
    Sums sums;
    for (std::size_t l = 0; l < members_.size(); ++l) {
      BlockStatistics statistics(members_[l].features, total_[l].shape);
      for (std::size_t first = 0; first < block.encoded.rows; first += model::forward_rows) {
        const std::size_t count = std::min(model::forward_rows, block.encoded.rows - first);
        statistics.add({.member = reader.member(l, first, count),
                        .targets = block.targets.row_block(first, count),
                        .weights = block.weights.empty() ? block.weights : block.weights.subspan(first, count)});
      }
      sums.push_back(std::move(statistics).value());
    }
    return sums;
  }

  std::span<const model::Member> members_;
  Sums total_;
  int threads_;
};

}  // namespace

std::vector<MemberSums> sum_rows(std::span<const model::Member> members, std::size_t outputs, bool known_noise,
                                 EncodedBlocks& blocks, const WidenPlan& plan, base::Team& team) {
  std::vector<MemberStatistics> none;
  std::size_t inputs = 0;
  for (const model::Member& member : members) {
    const bool shared_noise = member.network->shape().noise == NoiseKind::shared && !known_noise;
    none.push_back(no_rows(member.features, statistics_shape(plan, outputs, member.features, shared_noise, true)));
    inputs = member.network->shape().inputs;
  }
  const std::size_t row_values = math::padded(inputs) / 2 + 2 * outputs + 1;  // inputs are floats
  const std::size_t wave = wave_of_team(
      {.rows = row_values * math::statistics_block * sizeof(double), .sums = bytes_of(none)}, plan.threads, team);
  GrowingSums growing(members, std::move(none), plan.threads);
  growing.add_all(blocks, wave, team);
  growing.share(team);
  std::vector<MemberStatistics> total = std::move(growing).value();
  std::vector<MemberSums> sums;
  for (std::size_t l = 0; l < members.size(); ++l) {
    sums.push_back({std::move(total[l]), last_layer_squared_norm(*members[l].network, plan.random_bias)});
  }
  return sums;
}

Ensemble with_posteriors(model::EnsembleState state, const WidenPlan& plan, const std::vector<MemberSums>& sums) {
  std::vector<MemberStatistics> statistics;
  SquaredNorms norms;
  for (const MemberSums& member : sums) {
    statistics.push_back(member.statistics);
    norms.emplace_back(member.squared_norm);
  }
  return with_posteriors(std::move(state), plan, statistics, norms, true);
}

}  // namespace credens::learn
