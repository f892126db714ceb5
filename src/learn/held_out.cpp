// SPDX-License-Identifier: Apache-2.0

#include "learn/held_out.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "learn/folds.hpp"
#include "learn/held_out_blocks.hpp"
#include "learn/recipe.hpp"
#include "model/mlp.hpp"

namespace credens::learn {

namespace {

/// log f(raw) of the noise link f.
double log_learned_variance(NoiseLink link, double raw) {
  if (link == NoiseLink::exp) return raw;
  return std::log(raw > 0 ? raw + std::log1p(std::exp(-raw)) : std::log1p(std::exp(raw)));
}

/// Which rows a member does not see, as one flag per row.
std::vector<std::vector<bool>> held_out_flags(const FitOptions& options, std::span<const model::Member> members,
                                              std::size_t rows) {
  std::vector<std::vector<bool>> flags;
  for (const model::Member& member : members) {
    flags.emplace_back(rows, false);
    for (const std::uint32_t row : held_out_rows(options, member.index, rows)) flags.back()[row] = true;
  }
  return flags;
}

std::vector<std::uint32_t> chosen_rows(const std::vector<std::vector<bool>>& held,
                                       std::span<const std::uint32_t> shuffled, std::size_t most_rows) {
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t row : shuffled) {
    const bool is_held = std::ranges::any_of(held, [row](const std::vector<bool>& flags) { return flags[row]; });
    if (is_held && chosen.size() < most_rows) chosen.push_back(row);
  }
  std::ranges::sort(chosen);
  return chosen;
}

void read_noise(const model::Mlp& network, const model::HeadView& view, std::size_t row,
                std::span<double> log_variance) {
  const model::MlpShape& shape = network.shape();
  for (std::size_t u = 0; u < log_variance.size(); ++u) {
    const float raw = shape.noise == NoiseKind::constant ? network.constant_noise()[u]
                                                         : view.head[row * view.head_stride + shape.outputs + u];
    log_variance[u] = log_learned_variance(shape.noise_link, static_cast<double>(raw));
  }
}

MemberAtRows member_at_rows(const model::Mlp& network, const TrainingSet& data) {
  const model::MlpShape& shape = network.shape();
  const std::size_t units = shape.noise == NoiseKind::constant ? shape.outputs : shape.noise_units();
  MemberAtRows at{.features = shape.features(),
                  .mean = Matrix(data.rows, shape.outputs),
                  .log_variance = Matrix(data.rows, units),
                  .squared_features = std::vector<double>(data.rows)};
  model::ForwardBuffers buffers(shape, std::min(data.rows, model::forward_rows));
  for (std::size_t first = 0; first < data.rows; first += buffers.rows) {
    const std::size_t count = std::min(buffers.rows, data.rows - first);
    const model::HeadView view = model::forward(network, data.input_values.data() + first * data.input_stride,
                                                data.input_stride, count, buffers);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(view.head + i * view.head_stride, shape.outputs, at.mean.row(first + i).begin());
      read_noise(network, view, i, at.log_variance.row(first + i));
      const float* phi = view.features + i * view.feature_stride;
      for (std::size_t j = 0; j < shape.features(); ++j) {
        at.squared_features[first + i] += static_cast<double>(phi[j]) * static_cast<double>(phi[j]);
      }
    }
  }
  return at;
}

/// Some rows that a member saw, in the order of `shuffled`.
std::vector<std::uint32_t> seen_rows(const std::vector<bool>& held, std::span<const std::uint32_t> shuffled,
                                     std::size_t most_rows) {
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t row : shuffled) {
    if (rows.size() == most_rows) break;
    if (!held[row]) rows.push_back(row);
  }
  return rows;
}

/// Range of log s^2 at training rows. Overfitted log s^2 is steep: far from the training rows it could be anything, so
/// the noise at other rows is kept within this range.
std::vector<model::NoiseRange> noise_at(const model::Mlp& network, const TrainingSet& rows) {
  if (network.shape().noise_units() == 0 || network.shape().noise_link != NoiseLink::exp || rows.rows == 0) return {};
  const Matrix log_variance = member_at_rows(network, rows).log_variance;
  std::vector<model::NoiseRange> ranges(log_variance.cols());
  for (std::size_t u = 0; u < ranges.size(); ++u) {
    double low = log_variance(0, u);
    double high = low;
    for (std::size_t r = 1; r < log_variance.rows(); ++r) {
      low = std::min(low, log_variance(r, u));
      high = std::max(high, log_variance(r, u));
    }
    ranges[u] = {static_cast<float>(low), static_cast<float>(high)};
  }
  return ranges;
}

void keep_to(const std::vector<model::NoiseRange>& ranges, Matrix& log_variance) {
  for (std::size_t r = 0; r < log_variance.rows(); ++r) {
    for (std::size_t u = 0; u < ranges.size(); ++u) {
      log_variance(r, u) =
          std::clamp(log_variance(r, u), static_cast<double>(ranges[u].low), static_cast<double>(ranges[u].high));
    }
  }
}

Matrix as_matrix(const std::vector<float>& values, std::size_t rows, std::size_t cols) {
  return values.empty() ? Matrix() : Matrix(rows, cols, std::vector<double>(values.begin(), values.end()));
}

}  // namespace

HeldOut look_at_held_out(const JudgingRows& judging, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows) {
  const TrainingSet& data = judging.set();
  const std::vector<std::uint32_t> rows = chosen_rows(judging.held, judging.held_out_order, most_rows);
  const TrainingSet part = subset(data, rows);
  HeldOut out{.weight_in_all = data.weight_total,
              .targets = as_matrix(part.targets, part.rows, part.outputs),
              .known_variance = as_matrix(part.known_variance, part.rows, part.outputs),
              .weights = {},
              .members = std::vector<MemberAtRows>(members.size()),
              .first_pair = {0},
              .pair_member = {}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out.weights.push_back(part.weight(r));
    for (std::uint32_t l = 0; l < members.size(); ++l) {
      if (judging.held[l][rows[r]]) out.pair_member.push_back(l);
    }
    out.first_pair.push_back(out.pair_member.size());
  }
  base::parallel_for(members.size(), options.threads, [&](std::size_t l) {
    out.members[l] = member_at_rows(*members[l].network, part);
    out.members[l].configuration = members[l].index % configuration_count(options);
    const std::vector<std::uint32_t> seen = seen_rows(judging.held[l], judging.training_order, most_rows);
    out.members[l].seen = noise_at(*members[l].network, subset(data, seen));
    keep_to(out.members[l].seen, out.members[l].log_variance);
  });
  return out;
}

JudgingRows judging_rows(const TrainingSet& rows, const FitOptions& options, std::span<const model::Member> members) {
  JudgingRows judging{.all = &rows, .held = held_out_flags(options, members, rows.rows)};
  base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::calibration});
  judging.held_out_order = base::permutation(rows.rows, random);
  judging.training_order = judging.held_out_order;
  return judging;
}

JudgingRows judging_rows(const TrainingRows& train, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows) {
  if (train.windows() == nullptr) return judging_rows(train.train(), options, members);
  const std::size_t count = train.train().rows;
  const std::size_t held_out = part_size(count);
  const std::vector<std::uint32_t> drawn =
      draw_judging_rows(options.seed, count, train.validation_rows(), held_out + 2 * most_rows);
  std::vector<std::uint32_t> rows = drawn;
  std::ranges::sort(rows);
  JudgingRows judging;
  for (const std::uint32_t row : drawn) {
    const auto place = static_cast<std::uint32_t>(std::ranges::lower_bound(rows, row) - rows.begin());
    (judging.held_out_order.size() < held_out ? judging.held_out_order : judging.training_order).push_back(place);
  }
  judging.held.resize(members.size());
  base::parallel_for(members.size(), options.threads, [&](std::size_t l) {
    judging.held[l] =
        HeldOutBlocks(options, members[l].index, count, *train.windows(), train.validation_rows()).contains(rows);
  });
  judging.sample = train.pick(rows);
  return judging;
}

}  // namespace credens::learn
