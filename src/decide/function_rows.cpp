// SPDX-License-Identifier: Apache-2.0

#include "decide/function_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "math/kernels.hpp"

namespace credens::decide {

namespace {

std::size_t width_of(const model::Member& member) {
  if (member.posterior.kind == PosteriorKind::delta) return 0;
  return model::random_weights(member.posterior, member.features);
}

/// sqrt(w_l) S^T phi of each row, from the column `at` on.
void write_width(const model::EnsembleState& state, std::size_t l, const model::MemberView& view, std::size_t first,
                 std::size_t at, FunctionRows& rows) {
  const model::MemberPosterior& posterior = state.members[l].posterior;
  const double root = std::sqrt(state.weights[l]);
  std::vector<double> room;
  for (std::size_t i = 0; i < view.mean.rows(); ++i) {
    const std::span<const double> phi = view.features.row(i, room);
    for (std::size_t k = 0; k < rows.outputs(); ++k) {
      const std::vector<double> white = model::whitened(posterior, phi, k);
      float* const out = rows.coordinates[k].data() + (first + i) * rows.stride + at;
      for (std::size_t j = 0; j < white.size(); ++j) out[j] = static_cast<float>(root * white[j]);
    }
  }
}

/// sqrt(w_l) (m_l - m), from the members' means [members x outputs] at a row.
void write_deviations(const std::vector<double>& weights, const Matrix& means, std::size_t row, FunctionRows& rows) {
  for (std::size_t k = 0; k < rows.outputs(); ++k) {
    double mean = 0;
    for (std::size_t l = 0; l < weights.size(); ++l) mean += weights[l] * means(l, k);
    rows.mean(row, k) = mean;
    float* const out = rows.coordinates[k].data() + row * rows.stride;
    for (std::size_t l = 0; l < weights.size(); ++l) {
      out[l] = static_cast<float>(std::sqrt(weights[l]) * (means(l, k) - mean));
    }
  }
}

void write_block(const model::EnsembleState& state, model::MemberReader& reader, std::size_t first, std::size_t count,
                 FunctionRows& rows) {
  const std::size_t members = state.members.size();
  std::vector<Matrix> means(count, Matrix(members, rows.outputs()));
  reader.take(first, count);
  std::size_t at = members;
  for (std::size_t l = 0; l < members; ++l) {
    const model::MemberView view = reader.member(l, 0, count);
    const std::size_t width = width_of(state.members[l]);
    if (width > 0) write_width(state, l, view, first, at, rows);
    at += width;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < rows.outputs(); ++k) {
        means[i](l, k) = view.mean(i, k);
        rows.noise(first + i, k) += state.weights[l] * view.variance(i, k);
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) write_deviations(state.weights, means[i], first + i, rows);
}

}  // namespace

std::size_t function_stride(const model::EnsembleState& state) {
  std::size_t width = state.members.size();
  for (const model::Member& member : state.members) width += width_of(member);
  return math::padded(width);
}

FunctionRows function_rows(const model::EnsembleState& state, const model::MemberSource& source, int threads) {
  const std::size_t outputs = state.target_scaler.cols();
  FunctionRows rows{.mean = Matrix(source.rows, outputs), .noise = Matrix(source.rows, outputs)};
  rows.stride = function_stride(state);
  rows.coordinates.assign(outputs, base::AlignedVector<float>(source.rows * rows.stride));
  const std::size_t blocks = (source.rows + model::forward_rows - 1) / model::forward_rows;
  const auto tasks = std::min<std::size_t>(blocks, 8 * static_cast<std::size_t>(base::thread_count(threads)));
  base::parallel_for(tasks, threads, [&](std::size_t task) {
    const auto reader = source.reader();
    for (std::size_t b = task * blocks / tasks; b < (task + 1) * blocks / tasks; ++b) {
      const std::size_t first = b * model::forward_rows;
      write_block(state, *reader, first, std::min(model::forward_rows, source.rows - first), rows);
    }
  });
  return rows;
}

double dot(std::span<const float> x, std::span<const double> y) {
  constexpr std::size_t chains = 8;
  double sums[chains] = {};
  for (std::size_t j = 0; j < x.size(); j += chains) {
    for (std::size_t c = 0; c < chains; ++c) sums[c] += static_cast<double>(x[j + c]) * y[j + c];
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

}  // namespace credens::decide
