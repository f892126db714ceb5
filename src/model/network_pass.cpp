// SPDX-License-Identifier: Apache-2.0

#include "model/network_pass.hpp"

#include <cmath>

#include "base/check.hpp"

namespace credens::model {

namespace {

/// Says which value it was that scaling refused.
[[noreturn]] void fail_inputs(const data::Scaler& scaler, MatrixView inputs, std::size_t first_row) {
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t j = 0; j < inputs.cols(); ++j) {
      base::require(std::isfinite(inputs(i, j)), ErrorCode::data,
                    "inputs: row {}, column {} is {}, expected a finite number", first_row + i, j, inputs(i, j));
      base::require(std::abs(scaler.apply(j, inputs(i, j))) <= data::largest_scaled, ErrorCode::data,
                    "inputs: row {}, column {} is {}, too far from the training data for a network in single precision",
                    first_row + i, j, inputs(i, j));
    }
  }
  base::fail(ErrorCode::failure, "inputs that could be scaled were refused");
}

/// (noise_std / scale)^2.
void fill_known_variance(const data::Scaler& targets, MatrixView noise_std, Matrix& variance) {
  variance.resize(noise_std.rows(), noise_std.cols());
  for (std::size_t i = 0; i < noise_std.rows(); ++i) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      const double scaled = noise_std(i, k) / targets.scale[k];
      variance(i, k) = scaled * scaled;
    }
  }
}

template <class T>
void check_finite(const BasicMemberView<T>& rows, std::size_t member, std::size_t first_row) {
  for (std::size_t i = 0; i < rows.mean.rows(); ++i) {
    for (std::size_t k = 0; k < rows.mean.cols(); ++k) {
      if (std::isfinite(rows.mean(i, k)) && std::isfinite(rows.variance(i, k))) continue;
      base::fail(ErrorCode::numerical,
                 "row {}: the output of member {} is not finite, its inputs lie too far from the training data",
                 first_row + i, member);
    }
  }
}

}  // namespace

NetworkPass::NetworkPass(const EnsembleState& state) : state_(state), stride_(math::padded(state.input_scaler.cols())) {
  const MlpShape* last = nullptr;
  for (const Member& member : state.members) {
    const MlpShape& shape = member.network->shape();
    if (last == nullptr || *last != shape) buffers_.emplace_back(shape, 0);
    buffers_of_member_.push_back(buffers_.size() - 1);
    last = &shape;
  }
}

void NetworkPass::take(MatrixView inputs, MatrixView noise_std, std::size_t first_row) {
  rows_ = inputs.rows();
  first_row_ = first_row;
  backwards_ = !backwards_;
  scaled_.resize(std::max(scaled_.size(), rows_ * stride_));
  if (!data::scale_in_range(state_.input_scaler, inputs, scaled_.data(), stride_)) {
    fail_inputs(state_.input_scaler, inputs, first_row);
  }
  fill_known_variance(state_.target_scaler, noise_std, known_variance_);
}

ForwardBuffers& NetworkPass::buffers_of(std::size_t l) {
  ForwardBuffers& buffers = buffers_[buffers_of_member_[l]];
  buffers.reserve(state_.members[l].network->shape(), std::min(rows_, forward_rows));
  return buffers;
}

MemberView NetworkPass::member(std::size_t l, std::size_t first, std::size_t count) {
  const Member& member = state_.members[l];
  const MatrixView known = known_variance_.empty() ? MatrixView() : known_variance_.view().row_block(first, count);
  const MemberView rows =
      member_view(*member.network, scaled_.data() + first * stride_, stride_, count, known, buffers_of(l));
  check_finite(rows, member.index, first_row_ + first);
  return rows;
}

MemberBlock NetworkPass::member_block(std::size_t l) {
  const Member& member = state_.members[l];
  MemberBlock block =
      model::member_block(*member.network, scaled_.data(), stride_, rows_, known_variance_, buffers_of(l));
  check_finite(block.view(), member.index, first_row_);
  return block;
}

}  // namespace credens::model
