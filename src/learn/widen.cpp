// SPDX-License-Identifier: Apache-2.0
//
// One pass over the training rows, then closed forms: the networks are not touched.

#include <credens/widen.hpp>

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/parallel.hpp"
#include "data/fingerprint.hpp"
#include "learn/statistics.hpp"
#include "learn/wave.hpp"
#include "learn/widen_plan.hpp"
#include "learn/widen_rows.hpp"
#include "math/statistics.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_rows.hpp"
#include "model/network_pass.hpp"

namespace credens {

using base::require;
using learn::MemberStatistics;
using learn::SquaredNorms;
using learn::WidenPlan;
using model::EnsembleState;

namespace {

MatrixView row_block(MatrixView values, std::size_t first, std::size_t count) {
  return values.empty() ? MatrixView() : values.row_block(first, count);
}

std::span<const double> rows_of(std::span<const double> values, std::size_t first, std::size_t count) {
  return values.empty() ? values : values.subspan(first, count);
}

double last_layer_squared_norm(const model::Mlp& network, bool random_bias) {
  double sum = 0;
  const Matrix weights = network.mean_weight();
  for (const double w : weights.values()) sum += w * w;
  if (random_bias) {
    for (const double b : network.mean_bias()) sum += b * b;
  }
  return sum;
}

void check_fits(const EnsembleState& state, std::size_t inputs, std::size_t targets) {
  require(state.has_networks(), ErrorCode::usage,
          "this model was made from arrays and has no networks: widen it from the outputs of its members");
  require(inputs == state.layout.inputs, ErrorCode::data, "the training rows have {} inputs, the model has {}", inputs,
          state.layout.inputs);
  require(targets == state.target_names.size(), ErrorCode::data, "the training rows have {} targets, the model has {}",
          targets, state.target_names.size());
}

/// The sums of all members, over rows that are added in order.
class NetworkSums {
 public:
  NetworkSums(const EnsembleState& narrow, const WidenPlan& plan, bool known_noise) : narrow_(narrow), plan_(plan) {
    for (const model::Member& member : narrow.members) {
      const bool shared_noise = member.network->shape().noise == NoiseKind::shared && !known_noise;
      statistics_.push_back(learn::no_rows(
          member.features,
          learn::statistics_shape(plan, narrow.target_names.size(), member.features, shared_noise, true)));
      norms_.push_back(last_layer_squared_norm(*member.network, plan.random_bias));
    }
  }

  /// Of a block's sums.
  std::size_t bytes() const {
    std::size_t values = 0;
    for (const MemberStatistics& member : statistics_) {
      values += 1 + member.diagonal.size() * member.width + member.gram.size() * member.width * member.width;
    }
    return values * sizeof(double);
  }

  /// A multiple of math::statistics_block rows, but for the last. `wave` blocks at a time: memory does not grow with
  /// the rows.
  void add(const data::RowBlock& rows, std::size_t wave) {
    check(rows);
    const std::size_t blocks = block_count(rows);
    for (std::size_t first = 0; first < blocks; first += wave) {
      for (const Sums& block : sums_of(rows, first, std::min(wave, blocks - first))) add(block);
    }
  }

  /// The same where each rank of a team has some blocks of a wave; those of lower ranks come first. The sums are rank
  /// 0's until they are shared. Ranks hand theirs over in turns, so that rank 0 never holds those of too many.
  void add(const data::RowBlock& own_rows, const learn::Wave& wave, base::Team& team) {
    if (team.is_alone()) return add(own_rows, wave.blocks);
    std::string own;
    if (own_rows.rows() > 0) {
      check(own_rows);
      for (const Sums& block : sums_of(own_rows, 0, block_count(own_rows))) append(block, own);
    }
    for (std::size_t first = 0; first < team.size(); first += wave.ranks) {
      const bool has_turn = first <= team.rank() && team.rank() < first + wave.ranks;
      for (const std::string& of_rank : team.gather(has_turn ? std::move(own) : std::string())) add(of_rank);
    }
  }

  /// All ranks get the sums of rank 0.
  void share(base::Team& team) {
    if (team.is_alone()) return;
    std::string bytes;
    append(statistics_, bytes);
    bytes = team.broadcast(std::move(bytes));
    base::ByteReader reader(bytes);
    for (MemberStatistics& member : statistics_) learn::read_sums(reader, member);
  }

  Ensemble widened(const model::DataSummary& data, PosteriorKind rung) const {
    EnsembleState wide = narrow_;
    wide.data = data;
    WidenPlan plan = plan_;
    plan.posterior = rung;
    return learn::with_posteriors(std::move(wide), plan, statistics_, norms_, true);
  }

 private:
  using Sums = std::vector<MemberStatistics>;  ///< one per member

  static std::size_t block_count(const data::RowBlock& rows) {
    return (rows.rows() + math::statistics_block - 1) / math::statistics_block;
  }

  static void append(const Sums& sums, std::string& bytes) {
    for (const MemberStatistics& member : sums) learn::append_sums(bytes, member);
  }

  void check(const data::RowBlock& rows) const {
    model::require_known_noise(narrow_, rows.rows(), rows.noise_std);
    model::check_rows(narrow_, rows.inputs, rows.noise_std);
  }

  /// Blocks that another rank has summed.
  void add(std::string_view bytes) {
    if (bytes.empty()) return;
    Sums block = statistics_;
    for (base::ByteReader reader(bytes); !reader.at_end();) {
      for (MemberStatistics& member : block) learn::read_sums(reader, member);
      add(block);
    }
  }

  void add(const Sums& block) {
    for (std::size_t l = 0; l < block.size(); ++l) learn::add(statistics_[l], block[l]);
  }

  std::vector<Sums> sums_of(const data::RowBlock& rows, std::size_t first, std::size_t count) const {
    std::vector<Sums> sums(count);
    base::parallel_for(count, plan_.threads, [&](std::size_t i) { sums[i] = block_sums(rows, first + i); });
    return sums;
  }

  /// One block at all members, a few rows at a time while they are in the cache.
  Sums block_sums(const data::RowBlock& rows, std::size_t block) const {
    const std::size_t start = block * math::statistics_block;
    const std::size_t size = std::min(math::statistics_block, rows.rows() - start);
    model::NetworkPass pass(narrow_);
    pass.take(rows.inputs.row_block(start, size), row_block(rows.noise_std, start, size), start);
    const Matrix targets = data::scaled(narrow_.target_scaler, rows.targets.row_block(start, size));
    Sums sums;
    for (std::size_t l = 0; l < narrow_.members.size(); ++l) {
      learn::BlockStatistics statistics(narrow_.members[l].features, statistics_[l].shape);
      for (std::size_t first = 0; first < size; first += model::forward_rows) {
        const std::size_t count = std::min(model::forward_rows, size - first);
        statistics.add({.member = pass.member(l, first, count),
                        .targets = targets.view().row_block(first, count),
                        .weights = rows_of(rows.weights, start + first, count)});
      }
      sums.push_back(std::move(statistics).value());
    }
    return sums;
  }

  const EnsembleState& narrow_;
  const WidenPlan& plan_;
  Sums statistics_;
  SquaredNorms norms_;
};

static_assert(data::block_rows == math::statistics_block, "sums are the same however rows arrive");

/// Of a block of rows of a source.
std::size_t bytes_of_rows(const DatasetParts& layout) {
  const std::size_t values = layout.inputs.cols() + layout.targets.cols() + 1 + layout.noise_std.cols();
  return values * math::statistics_block * sizeof(double);
}

/// Copies of the next blocks of a source: all ranks read all of them, and each keeps those that it sums.
class WaveRows {
 public:
  WaveRows(data::RowSource& source, base::Team& team, std::size_t blocks)
      : source_(source), team_(team), blocks_(blocks) {}

  /// False: there are no more rows. Every block is added to `fingerprint`.
  bool read(data::RowFingerprint& fingerprint) {
    rows_ = 0;
    for (std::vector<double>* values : {&inputs_, &targets_, &weights_, &noise_std_}) values->clear();
    data::RowBlock block;
    std::size_t seen = 0;
    for (; seen < blocks_ * team_.size() && source_.next(block); ++seen) {
      fingerprint.add(block);
      if (seen / blocks_ != team_.rank()) continue;
      rows_ += block.rows();
      append(block.inputs, inputs_);
      append(block.targets, targets_);
      append(block.noise_std, noise_std_);
      weights_.insert(weights_.end(), block.weights.begin(), block.weights.end());
    }
    return seen > 0;
  }

  data::RowBlock own_rows() const {
    return {.inputs = as_matrix(inputs_),
            .targets = as_matrix(targets_),
            .weights = weights_,
            .noise_std = as_matrix(noise_std_)};
  }

 private:
  static void append(MatrixView rows, std::vector<double>& values) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      values.insert(values.end(), rows.row(row).begin(), rows.row(row).end());
    }
  }

  MatrixView as_matrix(const std::vector<double>& values) const {
    return values.empty() ? MatrixView() : MatrixView(values.data(), rows_, values.size() / rows_);
  }

  data::RowSource& source_;
  base::Team& team_;
  std::size_t blocks_;  ///< of each rank
  std::size_t rows_ = 0;
  std::vector<double> inputs_;
  std::vector<double> targets_;
  std::vector<double> weights_;
  std::vector<double> noise_std_;
};

}  // namespace

Ensemble widen(const Ensemble& ensemble, const Dataset& train, const WidenOptions& options) {
  check_fits(ensemble.state(), train.inputs().cols(), train.targets().cols());
  const WidenPlan plan = learn::make_plan(options, &ensemble.state());
  NetworkSums sums(ensemble.state(), plan, !train.noise_std().empty());
  const learn::Wave wave = learn::wave_of_team({.sums = sums.bytes()}, plan.threads, base::alone());
  sums.add({.inputs = train.inputs(),
            .targets = train.targets(),
            .weights = train.weights(),
            .noise_std = train.noise_std()},
           wave.blocks);
  return sums.widened({.rows = train.rows(), .fingerprint = train.fingerprint()}, plan.posterior);
}

namespace {

std::vector<Ensemble> widen_rungs(const Ensemble& ensemble, data::RowSource& train, const WidenPlan& plan,
                                  std::span<const PosteriorKind> rungs, base::Team& team) {
  const DatasetParts& layout = train.layout();
  check_fits(ensemble.state(), layout.inputs.cols(), layout.targets.cols());
  NetworkSums sums(ensemble.state(), plan, layout.noise_std.cols() > 0);
  const std::size_t count = train.count_rows();
  data::RowFingerprint fingerprint(layout, count);
  train.rewind();
  const learn::Wave wave =
      learn::wave_of_team({.rows = bytes_of_rows(layout), .sums = sums.bytes()}, plan.threads, team);
  for (WaveRows rows(train, team, wave.blocks); rows.read(fingerprint);) sums.add(rows.own_rows(), wave, team);
  sums.share(team);
  std::vector<Ensemble> wide;
  for (const PosteriorKind rung : rungs) {
    wide.push_back(sums.widened({.rows = count, .fingerprint = fingerprint.digits()}, rung));
  }
  return wide;
}

}  // namespace

Ensemble learn::widen(const Ensemble& ensemble, data::RowSource& train, const WidenOptions& options, base::Team& team) {
  const WidenPlan plan = learn::make_plan(options, &ensemble.state());
  return widen_rungs(ensemble, train, plan, std::array{plan.posterior}, team).front();
}

std::vector<Ensemble> learn::widen_each(const Ensemble& ensemble, data::RowSource& train,
                                        std::span<const PosteriorKind> rungs, int threads, base::Team& team) {
  const bool has_full = std::ranges::find(rungs, PosteriorKind::full) != rungs.end();
  const PosteriorKind highest = has_full ? PosteriorKind::full : PosteriorKind::isotropic;
  return widen_rungs(ensemble, train, learn::make_plan({.posterior = highest, .threads = threads}, &ensemble.state()),
                     rungs, team);
}

}  // namespace credens
