// SPDX-License-Identifier: Apache-2.0

#include "learn/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "base/parallel.hpp"
#include "learn/member_rows.hpp"
#include "learn/recipe.hpp"
#include "model/member_source.hpp"
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
                                              const FoldUnits& units) {
  std::vector<std::vector<bool>> flags;
  for (const model::Member& member : members) {
    flags.emplace_back(units.rows, false);
    for (const std::uint32_t row : held_out_rows(options, member.index, units)) flags.back()[row] = true;
  }
  return flags;
}

/// The first `most` rows, in the order of `shuffled`, for which `is_wanted(row)` holds.
template <class Wanted>
std::vector<std::uint32_t> first_rows(std::span<const std::uint32_t> shuffled, std::size_t most, Wanted is_wanted) {
  std::vector<std::uint32_t> rows;
  std::ranges::copy(shuffled | std::views::filter(is_wanted) | std::views::take(most), std::back_inserter(rows));
  return rows;
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
                                                data.input_stride, count, data.has_missing, buffers);
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

/// Distinct targets of an output among the held-out rows, ascending.
std::vector<double> distinct_targets(const HeldOut& held_out, std::size_t output) {
  std::vector<double> values;
  for (std::size_t r = 0; r < held_out.rows(); ++r) values.push_back(held_out.targets(r, output));
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  return values;
}

double median_gap(const std::vector<double>& ascending) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < ascending.size(); ++i) gaps.push_back(ascending[i] - ascending[i - 1]);
  const auto middle = gaps.begin() + std::ssize(gaps) / 2;
  std::ranges::nth_element(gaps, middle);
  return *middle;
}

/// Weighted mean squared error of the best configuration over its held-out pairs.
double least_squared_error(const HeldOut& held_out, std::size_t output) {
  std::vector<double> sums(held_out.replicates().size());
  std::vector<double> weights(sums.size());
  for (std::size_t r = 0; r < held_out.rows(); ++r) {
    for (const std::uint32_t l : held_out.members_of(r)) {
      const MemberAtRows& member = held_out.members[l];
      const double error = held_out.targets(r, output) - member.mean(r, output);
      sums[member.configuration] += held_out.weights[r] * error * error;
      weights[member.configuration] += held_out.weights[r];
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t configuration = 0; configuration < sums.size(); ++configuration) {
    if (weights[configuration] > 0) least = std::min(least, sums[configuration] / weights[configuration]);
  }
  return least;
}

}  // namespace

std::vector<std::size_t> HeldOut::replicates() const {
  std::vector<std::size_t> counts(std::ranges::max_element(members, {}, &MemberAtRows::configuration)->configuration +
                                  1);
  for (const MemberAtRows& member : members) ++counts[member.configuration];
  return counts;
}

std::vector<std::uint32_t> JudgingRows::units_of(std::span<const std::uint32_t> some) const {
  if (units == nullptr || units->are_rows()) return {};
  std::vector<std::uint32_t> found;
  for (const std::uint32_t row : some) found.push_back(units->unit(row));
  return found;
}

model::MemberBlock member_at(const model::Member& member, const TrainingSet& rows) {
  const std::vector<double> known(rows.known_variance.begin(), rows.known_variance.end());
  model::NetworkReader reader({&member, 1});
  reader.set_rows({.rows = rows.rows,
                   .inputs = rows.input_values.data(),
                   .stride = rows.input_stride,
                   .has_missing = rows.has_missing,
                   .known_variance = {known.data(), known.empty() ? 0 : rows.rows, rows.outputs}});
  reader.take(0, rows.rows);
  return model::member_block(reader, 0, rows.rows);
}

HeldOut look_at_held_out(const JudgingRows& judging, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows) {
  const TrainingSet& data = judging.set();
  const auto is_held_out = [&](std::uint32_t row) {
    return std::ranges::any_of(judging.held, [row](const std::vector<bool>& flags) { return flags[row]; });
  };
  std::vector<std::uint32_t> rows = first_rows(judging.held_out_order, most_rows, is_held_out);
  std::ranges::sort(rows);
  const TrainingSet part = subset(data, rows);
  HeldOut out{.weight_in_all = data.weight_total,
              .targets = as_matrix(part.targets, part.rows, part.outputs),
              .known_variance = as_matrix(part.known_variance, part.rows, part.outputs),
              .weights = {},
              .units = judging.units == nullptr ? 0 : judging.units->subset(rows).count,
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
    const std::vector<std::uint32_t> seen =
        first_rows(judging.training_order, most_rows, [&](std::uint32_t row) { return !judging.held[l][row]; });
    out.members[l].seen = noise_at(*members[l].network, subset(data, seen));
    keep_to(out.members[l].seen, out.members[l].log_variance);
  });
  return out;
}

JudgingRows judging_rows(const TrainingRows& train, const FitOptions& options, std::span<const model::Member> members,
                         std::size_t most_rows) {
  const std::size_t count = train.train().rows;
  if (train.windows() == nullptr) {
    base::RandomStream random({.seed = options.seed, .purpose = base::Purpose::calibration});
    const std::vector<std::uint32_t> order = base::permutation(count, random);
    return {.all = &train.train(),
            .units = &train.units(),
            .held = held_out_flags(options, members, train.units()),
            .held_out_order = order,
            .training_order = order};
  }
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

std::optional<double> rounding_step(const HeldOut& held_out, std::size_t output) {
  constexpr std::size_t rows_per_value = 5;
  constexpr double least_share = 0.02;
  const std::vector<double> values = distinct_targets(held_out, output);
  if (values.size() < 2 || values.size() * rows_per_value > held_out.rows()) return std::nullopt;
  const double step = median_gap(values);
  const double error = least_squared_error(held_out, output);
  const bool is_nothing = step * step / 12 < least_share * error;
  const bool tells_values_apart = error < step * step / 4;
  if (is_nothing || tells_values_apart) return std::nullopt;
  return step;
}

std::vector<std::optional<double>> undo_rounding(HeldOut& held_out, std::uint64_t seed) {
  std::vector<std::optional<double>> steps;
  for (std::size_t k = 0; k < held_out.outputs(); ++k) {
    const std::optional<double> step = rounding_step(held_out, k);
    steps.push_back(step);
    if (!step) continue;
    base::RandomStream random({.seed = seed, .purpose = base::Purpose::calibration, .member = 2, .attempt = k});
    for (std::size_t r = 0; r < held_out.rows(); ++r) held_out.targets(r, k) += *step * random.uniform(-0.5, 0.5);
  }
  return steps;
}

}  // namespace credens::learn
