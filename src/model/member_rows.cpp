// SPDX-License-Identifier: Apache-2.0

#include "model/member_rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/aligned.hpp"
#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"

namespace credens::model {

namespace {

void check_inputs(const EnsembleState& state, MatrixView inputs) {
  require_networks(state);
  const std::size_t expected = state.input_scaler.cols();
  base::require(inputs.rows() == 0 || inputs.cols() == expected, ErrorCode::data, "inputs have {} columns, expected {}",
                inputs.cols(), expected);
  base::check_finite(inputs, "inputs");
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t j = 0; j < inputs.cols(); ++j) {
      base::require(std::abs(state.input_scaler.apply(j, inputs(i, j))) <= data::largest_scaled, ErrorCode::data,
                    "inputs: row {}, column {} is {}, too far from the training data for a network in single precision",
                    i, j, inputs(i, j));
    }
  }
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

void check_outputs(const MemberBlock& block, std::size_t member, std::size_t first_row) {
  for (std::size_t i = 0; i < block.mean.rows(); ++i) {
    for (std::size_t k = 0; k < block.mean.cols(); ++k) {
      base::require(std::isfinite(block.mean(i, k)) && std::isfinite(block.variance(i, k)), ErrorCode::numerical,
                    "row {}: the output of member {} is not finite, its inputs lie too far from the training data",
                    first_row + i, member);
    }
  }
}

/// Known variances in network units.
Matrix known_variance(const data::Scaler& target_scaler, MatrixView noise_std) {
  Matrix variance(noise_std.rows(), noise_std.cols());
  for (std::size_t i = 0; i < noise_std.rows(); ++i) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      const double scaled = noise_std(i, k) / target_scaler.scale[k];
      variance(i, k) = scaled * scaled;
    }
  }
  return variance;
}

/// `inputs` and `noise_std` are the rows from `first_row` on; noise_std may be empty.
std::vector<MemberBlock> network_blocks(const EnsembleState& state, MatrixView inputs, MatrixView noise_std,
                                        std::size_t first_row) {
  const std::size_t stride = math::padded(inputs.cols());
  base::AlignedVector<float> scaled(inputs.rows() * stride);
  data::scale_rows(state.input_scaler, inputs, scaled.data(), stride);

  const Matrix known = known_variance(state.target_scaler, noise_std);
  std::vector<MemberBlock> blocks;
  std::optional<ForwardBuffers> buffers;
  const MlpShape* shape_of_buffers = nullptr;
  for (const Member& member : state.members) {
    const Mlp& network = *member.network;
    if (shape_of_buffers == nullptr || *shape_of_buffers != network.shape()) {
      buffers.emplace(network.shape(), std::min(inputs.rows(), forward_rows));
      shape_of_buffers = &network.shape();
    }
    blocks.push_back(member_block(network, scaled.data(), stride, inputs.rows(), known, *buffers));
    check_outputs(blocks.back(), member.index, first_row);
  }
  return blocks;
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

void check_fit(const EnsembleState& state, const MemberOutputs& outputs) {
  base::require(outputs.members() == state.members.size(), ErrorCode::data,
                "the outputs are those of {} members, expected {}", outputs.members(), state.members.size());
  base::require(outputs.outputs() == state.target_scaler.cols(), ErrorCode::data,
                "the mean of the outputs has {} columns, expected {}", outputs.outputs(), state.target_scaler.cols());
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    base::require(outputs.features[l].cols() == state.members[l].features, ErrorCode::data,
                  "the outputs have {} features for member {}, expected {}", outputs.features[l].cols(), l,
                  state.members[l].features);
  }
  check_units(outputs.target_scale, 1, state.target_scaler.scale, "target_scale");
  check_units(outputs.target_shift, 0, state.target_scaler.shift, "target_shift");
  base::require(outputs.target_names.empty() || outputs.target_names == state.target_names, ErrorCode::data,
                "the outputs are called {}, in the model {}", base::join(outputs.target_names, ", "),
                base::join(state.target_names, ", "));
}

}  // namespace

MemberRows rows_of_networks(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  check_inputs(state, inputs);
  check_noise(state, inputs.rows(), noise_std);
  return {inputs.rows(), [&state, inputs, noise_std](std::size_t first, std::size_t count) {
            const MatrixView noise = noise_std.empty() ? MatrixView{} : noise_std.row_block(first, count);
            return network_blocks(state, inputs.row_block(first, count), noise, first);
          }};
}

MemberRows rows_of_arrays(const EnsembleState& state, const MemberOutputs& outputs) {
  check(outputs);
  check_fit(state, outputs);
  return {outputs.rows(), [&outputs](std::size_t first, std::size_t count) { return block_of(outputs, first, count); }};
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

void write_components(const EnsembleState& state, const std::vector<MemberBlock>& members, std::size_t first,
                      MixtureComponents& components) {
  const std::size_t q = components.outputs;
  std::vector<double> epistemic(q);
  for (std::size_t l = 0; l < members.size(); ++l) {
    const MemberBlock& block = members[l];
    for (std::size_t i = 0; i < block.mean.rows(); ++i) {
      epistemic_variances(state.members[l].posterior, block.features.row(i), epistemic);
      const std::size_t at = ((first + i) * members.size() + l) * q;
      for (std::size_t k = 0; k < q; ++k) {
        const double scale = state.target_scaler.scale[k];
        components.mean[at + k] = block.mean(i, k) * scale + state.target_scaler.shift[k];
        components.aleatoric_variance[at + k] = block.variance(i, k) * (scale * scale);
        components.epistemic_variance[at + k] = epistemic[k] * (scale * scale);
      }
    }
  }
}

Predictive predictive_of(const EnsembleState& state, const MemberRows& rows, int threads) {
  MixtureComponents components;
  resize_components(state, rows.rows, components);
  const std::size_t blocks = (rows.rows + forward_rows - 1) / forward_rows;
  base::parallel_for(blocks, threads, [&](std::size_t index) {
    const std::size_t first = index * forward_rows;
    const std::size_t count = std::min(forward_rows, rows.rows - first);
    write_components(state, rows.block(first, count), first, components);
  });
  return Predictive(std::move(components));
}

}  // namespace credens::model
