// SPDX-License-Identifier: Apache-2.0
//
// The networks of an ensemble at a few rows at a time, in memory that is kept from call to call. For one thread.

#pragma once

#include <vector>

#include "model/ensemble_state.hpp"

namespace credens::model {

class NetworkPass {
 public:
  explicit NetworkPass(const EnsembleState& state);  ///< which must outlive this

  /// Takes rows in the units of the data: `inputs` [n x d] and known noise `noise_std` [n x q] or empty, of the shapes
  /// that the state wants. `first_row` is how sentences count the first. Throws data for values out of range.
  void take(MatrixView inputs, MatrixView noise_std, std::size_t first_row);

  /// Members in the order of the last rows and in the opposite one by turns: those that were used last, whose weights
  /// are still in the cache, are the first.
  std::size_t member_at(std::size_t position) const {
    return backwards_ ? state_.members.size() - 1 - position : position;
  }

  /// What member l says of all rows taken, at most forward_rows, or of some of many; valid until the next call. Throws
  /// numerical where that is not finite.
  MemberView member(std::size_t l) { return member(l, 0, rows_); }
  MemberView member(std::size_t l, std::size_t first, std::size_t count);

  /// For features of one row in double, so that whoever needs them allocates nothing.
  std::vector<double>& room() { return room_; }

  /// The same for any number of rows, copied.
  MemberBlock member_block(std::size_t l);

 private:
  ForwardBuffers& buffers_of(std::size_t l);

  const EnsembleState& state_;
  std::vector<ForwardBuffers> buffers_;  ///< one for each shape that differs from that of the member before
  std::vector<std::size_t> buffers_of_member_;
  base::AlignedVector<float> scaled_;  ///< [n x stride_]
  std::size_t stride_;
  std::size_t rows_ = 0;
  std::size_t first_row_ = 0;
  bool backwards_ = true;
  Matrix known_variance_;
  std::vector<double> room_;
};

}  // namespace credens::model
