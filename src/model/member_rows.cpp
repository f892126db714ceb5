// SPDX-License-Identifier: Apache-2.0

#include "model/member_rows.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "model/output_rows.hpp"

namespace credens::model {

namespace {

void check_inputs(const EnsembleState& state, MatrixView inputs) {
  require_networks(state);
  const std::size_t expected = state.input_scaler.cols();
  base::require(inputs.rows() == 0 || inputs.cols() == expected, ErrorCode::data, "inputs have {} columns, expected {}",
                inputs.cols(), expected);
}

void check_noise(const EnsembleState& state, std::size_t rows, MatrixView noise_std) {
  if (noise_std.empty()) return;
  base::check_shape(noise_std, rows, state.target_scaler.cols(), "noise_std");
  base::check_positive(noise_std, "noise_std");
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      base::require(noise_std(i, k) / state.target_scaler.scale[k] < largest_scaled_noise, ErrorCode::data,
                    "noise_std: row {}, column {} is {}, too large beside the target's scale {}", i, k, noise_std(i, k),
                    state.target_scaler.scale[k]);
    }
  }
}

/// Arrays are in the networks' own units, so all say how these are related to those of the data.
void check_units(const std::vector<double>& found, double by_default, const std::vector<double>& expected,
                 std::string_view name) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double value = found.empty() ? by_default : found[k];
    base::require(value == expected[k], ErrorCode::data, "{} of the outputs is {} for output {}, in the model it is {}",
                  name, value, k, expected[k]);
  }
}

void check_shapes(const EnsembleState& state, const OutputRows& rows) {
  base::require(rows.members() == state.members.size(), ErrorCode::data,
                "the outputs are those of {} members, expected {}", rows.members(), state.members.size());
  base::require(rows.outputs() == state.target_scaler.cols(), ErrorCode::data,
                "the mean of the outputs has {} columns, expected {}", rows.outputs(), state.target_scaler.cols());
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    base::require(rows.features[l].cols() == state.members[l].features, ErrorCode::data,
                  "the outputs have {} features for member {}, expected {}", rows.features[l].cols(), l,
                  state.members[l].features);
  }
}

/// What is checked already.
MemberRows rows_of(const OutputRows& rows) {
  return {rows.rows(), [rows](std::size_t first, std::size_t count) { return block_of(rows, first, count); }};
}

MatrixView rows_or_none(MatrixView values, std::size_t first, std::size_t count) {
  return values.empty() ? MatrixView{} : values.row_block(first, count);
}

std::size_t blocks_of(std::size_t rows) {
  return (rows + forward_rows - 1) / forward_rows;
}

}  // namespace

void check_fit(const EnsembleState& state, const MemberOutputs& outputs) {
  check_shapes(state, outputs);
  check_units(outputs.target_scale, 1, state.target_scaler.scale, "target_scale");
  check_units(outputs.target_shift, 0, state.target_scaler.shift, "target_shift");
  base::require(outputs.target_names.empty() || outputs.target_names == state.target_names, ErrorCode::data,
                "the outputs are called {}, in the model {}", base::join(outputs.target_names, ", "),
                base::join(state.target_names, ", "));
}

void check_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  check_inputs(state, inputs);
  check_noise(state, inputs.rows(), noise_std);
}

MemberRows rows_of_networks(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  check_rows(state, inputs, noise_std);
  return {inputs.rows(), [&state, inputs, noise_std](std::size_t first, std::size_t count) {
            NetworkPass pass(state);
            pass.take(inputs.row_block(first, count), rows_or_none(noise_std, first, count), first);
            std::vector<MemberBlock> blocks;
            for (std::size_t l = 0; l < state.members.size(); ++l) blocks.push_back(pass.member_block(l));
            return blocks;
          }};
}

MemberRows rows_of_arrays(const EnsembleState& state, const OutputRows& rows) {
  check(rows);
  check_shapes(state, rows);
  return rows_of(rows);
}

MemberRows rows_of_arrays(const EnsembleState& state, const MemberOutputs& outputs) {
  check(outputs);
  check_fit(state, outputs);
  return rows_of(outputs);
}

void require_networks(const EnsembleState& state) {
  base::require(state.has_networks(), ErrorCode::usage,
                "this model has no networks: it predicts from the outputs of its members, not from inputs");
}

void require_known_noise(const EnsembleState& state, std::size_t rows, MatrixView noise_std) {
  base::require(!state.known_noise || rows == 0 || !noise_std.empty(), ErrorCode::usage,
                "this model was trained with known noise, so noise_std is needed for every row");
}

void resize_components(const EnsembleState& state, std::size_t rows, MixtureComponents& components) {
  components.rows = rows;
  components.outputs = state.target_scaler.cols();
  components.weights = state.weights;
  const std::size_t values = rows * state.members.size() * components.outputs;
  components.mean.resize(values);
  components.aleatoric_variance.resize(values);
  components.epistemic_variance.resize(values);
}

namespace {

std::span<const double> features_at(MatrixView features, std::size_t row, std::vector<double>&) {
  return features.row(row);
}

std::span<const double> features_at(BasicMatrixView<float> features, std::size_t row, std::vector<double>& room) {
  room.assign(features.row(row).begin(), features.row(row).end());
  return room;
}

template <class T>
void write_member(const EnsembleState& state, std::size_t l, const BasicMemberView<T>& rows, std::size_t first,
                  std::vector<double>& room, MixtureComponents& components) {
  const MemberPosterior& posterior = state.members[l].posterior;
  const std::size_t q = components.outputs;
  for (std::size_t i = 0; i < rows.mean.rows(); ++i) {
    const std::size_t at = ((first + i) * state.members.size() + l) * q;
    const std::span<double> epistemic = std::span(components.epistemic_variance).subspan(at, q);
    if (posterior.kind == PosteriorKind::delta) {
      std::ranges::fill(epistemic, 0.0);
    } else {
      epistemic_variances(posterior, features_at(rows.features, i, room), epistemic);
    }
    for (std::size_t k = 0; k < q; ++k) {
      const double scale = state.target_scaler.scale[k];
      components.mean[at + k] = rows.mean(i, k) * scale + state.target_scaler.shift[k];
      components.aleatoric_variance[at + k] = rows.variance(i, k) * (scale * scale);
      epistemic[k] *= scale * scale;
    }
  }
}

}  // namespace

void write_components(const EnsembleState& state, const std::vector<MemberBlock>& members, std::size_t first,
                      MixtureComponents& components) {
  std::vector<double> none;
  for (std::size_t l = 0; l < members.size(); ++l) write_member(state, l, members[l].view(), first, none, components);
}

void write_components(const EnsembleState& state, NetworkPass& pass, MatrixView inputs, MatrixView noise_std,
                      std::size_t first, MixtureComponents& components) {
  pass.take(inputs, noise_std, first);
  for (std::size_t position = 0; position < state.members.size(); ++position) {
    const std::size_t l = pass.member_at(position);
    write_member(state, l, pass.member(l), first, pass.room(), components);
  }
}

Predictive predictive_of(const EnsembleState& state, const MemberRows& rows, int threads) {
  MixtureComponents components;
  resize_components(state, rows.rows, components);
  base::parallel_for(blocks_of(rows.rows), threads, [&](std::size_t index) {
    const std::size_t first = index * forward_rows;
    write_components(state, rows.block(first, std::min(forward_rows, rows.rows - first)), first, components);
  });
  return Predictive(std::move(components));
}

Predictive predictive_of(const EnsembleState& state, MatrixView inputs, MatrixView noise_std, int threads) {
  check_rows(state, inputs, noise_std);
  MixtureComponents components;
  resize_components(state, inputs.rows(), components);
  const std::size_t blocks = blocks_of(inputs.rows());
  const auto tasks = std::min<std::size_t>(blocks, 8 * static_cast<std::size_t>(base::thread_count(threads)));
  base::parallel_for(tasks, threads, [&](std::size_t task) {
    NetworkPass pass(state);
    for (std::size_t index = task * blocks / tasks; index < (task + 1) * blocks / tasks; ++index) {
      const std::size_t first = index * forward_rows;
      const std::size_t count = std::min(forward_rows, inputs.rows() - first);
      write_components(state, pass, inputs.row_block(first, count), rows_or_none(noise_std, first, count), first,
                       components);
    }
  });
  return Predictive(std::move(components));
}

}  // namespace credens::model
