// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/random.hpp"
#include "math/softmax_normal.hpp"
#include "model/member_source.hpp"

namespace credens::model {

namespace {

using base::Purpose;
using base::RandomStream;

/// Draws that walk over the rows side by side, one per lane, so that a row's features are read once for all of them.
constexpr std::size_t lanes = 32;

constexpr double largest_sample = 1e12;

/// The smallest l with u < w_1 + ... + w_l: never a member of weight zero, also where rounding leaves the sum below u.
std::size_t member_at(std::span<const double> weights, double u) {
  std::size_t last = 0;
  double sum = 0;
  for (std::size_t l = 0; l < weights.size(); ++l) {
    if (weights[l] == 0) continue;
    last = l;
    sum += weights[l];
    if (u < sum) break;
  }
  return last;
}

/// The numbers of the draws that fall to each member, ascending.
std::vector<std::vector<std::size_t>> draws_of_members(std::span<const double> weights, const SampleOptions& options) {
  RandomStream random({.seed = options.seed, .purpose = Purpose::sample_member});
  std::vector<std::vector<std::size_t>> draws(weights.size());
  for (std::size_t j = 0; j < options.draws; ++j) draws[member_at(weights, random.uniform())].push_back(j);
  return draws;
}

/// dW_k of up to `lanes` draws: weight j of draw t lies at j * lanes + t; for P weights.
std::vector<double> weight_deviations(const MemberPosterior& posterior, std::size_t size, std::size_t output,
                                      std::uint64_t seed, std::span<const std::size_t> draws) {
  std::vector<double> deviations(size * lanes, 0.0);
  std::vector<double> z(size);
  for (std::size_t t = 0; t < draws.size(); ++t) {
    RandomStream random({.seed = seed, .purpose = Purpose::sample_weights, .member = draws[t], .attempt = output});
    for (double& value : z) value = random.normal();
    const std::vector<double> deviation = weight_deviation(posterior, z, output);
    for (std::size_t j = 0; j < size; ++j) deviations[j * lanes + t] = deviation[j];
  }
  return deviations;
}

/// dW_k phi for each lane; a random bias meets the constant 1.
std::array<double, lanes> function_deviations(std::span<const double> weights, std::span<const double> phi) {
  std::array<double, lanes> sum{};
  for (std::size_t j = 0; j < phi.size(); ++j) {
    for (std::size_t t = 0; t < lanes; ++t) sum[t] += weights[j * lanes + t] * phi[j];
  }
  if (weights.size() > phi.size() * lanes) {
    for (std::size_t t = 0; t < lanes; ++t) sum[t] += weights[phi.size() * lanes + t];
  }
  return sum;
}

/// Some rows of all draws.
class BlockSampler {
 public:
  /// From `first` on of `samples`, whose row 0 has the number `first_number`.
  BlockSampler(const EnsembleState& state, const SampleOptions& options, std::size_t first, std::size_t first_number,
               Samples& samples)
      : state_(state), options_(options), first_(first), first_number_(first_number), samples_(samples) {}

  void run(std::size_t member, const MemberBlock& block, std::span<const std::size_t> draws) {
    for (std::size_t first = 0; first < draws.size(); first += lanes) {
      base::require(!options_.stop.stop_requested(), ErrorCode::interrupted, "stopped while drawing");
      const auto group = draws.subspan(first, std::min(lanes, draws.size() - first));
      for (std::size_t k = 0; k < samples_.outputs; ++k) write_function(state_.members[member], block, group, k);
      if (state_.schema.is_classification()) {
        write_probabilities(block.mean.rows(), group);
      } else if (options_.of == Draw::observation) {
        add_noise(block, group);
      }
    }
  }

 private:
  double& value(std::size_t draw, std::size_t row, std::size_t output) {
    return samples_.values[(draw * samples_.rows + first_ + row) * samples_.outputs + output];
  }

  void write_function(const Member& member, const MemberBlock& block, std::span<const std::size_t> draws,
                      std::size_t output) {
    const bool is_point = member.posterior.kind == PosteriorKind::delta;
    const std::size_t size = is_point ? 0 : random_weights(member.posterior, member.features);
    const auto weights = weight_deviations(member.posterior, size, output, options_.seed, draws);
    const double scale = state_.target_scaler.scale[output];
    const double shift = state_.target_scaler.shift[output];
    for (std::size_t i = 0; i < block.mean.rows(); ++i) {
      const auto phi = is_point ? std::span<const double>{} : block.features.row(i);
      const auto deviation = function_deviations(weights, phi);
      for (std::size_t t = 0; t < draws.size(); ++t) {
        value(draws[t], i, output) = (block.mean(i, output) + deviation[t]) * scale + shift;
      }
    }
  }

  /// Logits become probabilities; an observation is 1 at its class and 0 at all others.
  void write_probabilities(std::size_t rows, std::span<const std::size_t> draws) {
    std::vector<double> probability(samples_.outputs);
    for (const std::size_t draw : draws) {
      for (std::size_t i = 0; i < rows; ++i) {
        const std::span<double> values(&value(draw, i, 0), samples_.outputs);
        math::softmax(values, probability);
        std::ranges::copy(probability, values.begin());
        if (options_.of == Draw::function) continue;
        RandomStream random(noise_stream(draw, i));
        const std::size_t drawn = member_at(probability, random.uniform());
        std::ranges::fill(values, 0.0);
        values[drawn] = 1;
      }
    }
  }

  base::StreamName noise_stream(std::size_t draw, std::size_t row) const {
    return {
        .seed = options_.seed, .purpose = Purpose::sample_noise, .member = draw, .epoch = first_number_ + first_ + row};
  }

  void add_noise(const MemberBlock& block, std::span<const std::size_t> draws) {
    for (const std::size_t draw : draws) {
      for (std::size_t i = 0; i < block.mean.rows(); ++i) {
        RandomStream random(noise_stream(draw, i));
        for (std::size_t k = 0; k < samples_.outputs; ++k) {
          value(draw, i, k) += std::sqrt(block.variance(i, k)) * state_.target_scaler.scale[k] * random.normal();
        }
      }
    }
  }

  const EnsembleState& state_;
  const SampleOptions& options_;
  std::size_t first_;
  std::size_t first_number_;
  Samples& samples_;
};

Samples room_for(const SampleOptions& options, std::size_t rows, std::size_t outputs) {
  base::require(options.draws > 0, ErrorCode::usage, "draws is 0, expected at least 1");
  const double values = static_cast<double>(options.draws) * static_cast<double>(rows) * static_cast<double>(outputs);
  base::require(values <= largest_sample, ErrorCode::usage, "{} draws at {} rows are {} values, expected at most {}",
                options.draws, rows, values, largest_sample);
  return {.draws = options.draws,
          .rows = rows,
          .outputs = outputs,
          .values = std::vector<double>(options.draws * rows * outputs)};
}

}  // namespace

Samples draw_samples(const EnsembleState& state, const MemberSource& source, const SampleOptions& options,
                     std::size_t first_row) {
  Samples samples = room_for(options, source.rows, state.target_scaler.cols());
  const auto draws = draws_of_members(state.weights, options);
  const std::size_t tasks = (source.rows + sampled_rows - 1) / sampled_rows;
  base::parallel_for(tasks, options.threads, [&](std::size_t task) {
    const std::size_t first = task * sampled_rows;
    const std::size_t count = std::min(sampled_rows, source.rows - first);
    const std::unique_ptr<MemberReader> reader = source.reader();
    reader->take(first, count);
    BlockSampler sampler(state, options, first, first_row, samples);
    for (std::size_t l = 0; l < draws.size(); ++l) {
      if (!draws[l].empty()) sampler.run(l, member_block(*reader, l, count), draws[l]);
    }
  });
  return samples;
}

Samples draw_samples_at(const EnsembleState& state, const std::function<Matrix(std::size_t draw)>& inputs_of,
                        std::size_t rows, const SampleOptions& options, std::size_t first_row) {
  Samples samples = room_for(options, rows, state.target_scaler.cols());
  const auto draws = draws_of_members(state.weights, options);
  std::vector<std::size_t> member_of(options.draws);
  for (std::size_t l = 0; l < draws.size(); ++l) {
    for (const std::size_t draw : draws[l]) member_of[draw] = l;
  }
  base::parallel_for(options.draws, options.threads, [&](std::size_t draw) {
    const Matrix inputs = inputs_of(draw);
    const MemberSource source = networks_at(state, inputs, options.noise_std);
    const std::unique_ptr<MemberReader> reader = source.reader();
    for (std::size_t first = 0; first < rows; first += sampled_rows) {
      const std::size_t count = std::min(sampled_rows, rows - first);
      reader->take(first, count);
      BlockSampler(state, options, first, first_row, samples)
          .run(member_of[draw], member_block(*reader, member_of[draw], count), {&draw, 1});
    }
  });
  return samples;
}

}  // namespace credens::model
