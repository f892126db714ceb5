// SPDX-License-Identifier: Apache-2.0
//
// The outputs of the members of an ensemble at rows, from their networks or from the arrays of a foreign ensemble: the
// way in for prediction, draws, covariances and widening.

#pragma once

#include <credens/matrix.hpp>
#include <credens/member_outputs.hpp>
#include <credens/output_rows.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "model/ensemble_state.hpp"

namespace credens::model {

/// For one thread, in memory that is kept from call to call. A row's values never depend on the rows it is asked for
/// with.
class MemberReader {
 public:
  MemberReader() = default;
  MemberReader(const MemberReader&) = delete;
  MemberReader& operator=(const MemberReader&) = delete;
  virtual ~MemberReader() = default;

  /// Goes to the rows [first, first + count) of the source. Throws data for values out of range.
  virtual void take(std::size_t first, std::size_t count) = 0;

  /// The outputs of member l at `count` of the rows taken, from the `first` of them on, at most forward_rows; valid
  /// until the next call. Throws numerical where that is not finite.
  virtual MemberView member(std::size_t l, std::size_t first, std::size_t count) = 0;

  /// The order of members that is fastest after the last rows.
  virtual std::size_t member_at(std::size_t position) const { return position; }
};

/// A copy of what member l says of the first `count` rows taken.
MemberBlock member_block(MemberReader& reader, std::size_t l, std::size_t count);

/// Rows, and readers of what members say of them: one for each thread. Neither may outlive what the source was made of.
struct MemberSource {
  std::size_t rows = 0;
  std::function<std::unique_ptr<MemberReader>()> reader;
};

/// Inputs [n x d] as floats, rows of `stride`. `first_row` is how sentences count the first. True where a number is
/// missing that has no flag; throws data for values out of range.
bool encode_inputs(const data::Encoder& encoder, MatrixView inputs, float* out, std::size_t stride,
                   std::size_t first_row);

/// (noise_std / scale)^2, of the shape of `noise_std`, which data::check_noise has passed.
void fill_known_variance(const data::Scaler& targets, MatrixView noise_std, Matrix& variance);

/// Views of rows in network units.
struct EncodedRows {
  std::size_t first_row = 0;  ///< how sentences count the first
  std::size_t rows = 0;
  const float* inputs = nullptr;  ///< [n x stride], padded
  std::size_t stride = 0;
  bool has_missing = false;        ///< a number is NaN
  MatrixView known_variance = {};  ///< [n x q] or empty
};

class NetworkReader final : public MemberReader {
 public:
  explicit NetworkReader(std::span<const Member> members);  ///< with networks, which must outlive this

  /// The rows that are asked about, in the units of the data: `inputs` [n x d] and known noise `noise_std` [n x q] or
  /// empty, of the shapes that `state` wants. All must outlive their use.
  void set_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std);
  void set_rows(const EncodedRows& rows);  ///< the same in network units

  void take(std::size_t first, std::size_t count) override;
  MemberView member(std::size_t l, std::size_t first, std::size_t count) override;

  /// In the order of the last rows and in the opposite one by turns: those that were used last, whose weights are still
  /// in the cache, are the first.
  std::size_t member_at(std::size_t position) const override {
    return backwards_ ? members_.size() - 1 - position : position;
  }

 private:
  std::span<const Member> members_;
  std::vector<ForwardBuffers> buffers_;  ///< one for each shape that differs from that of the member before
  std::vector<std::size_t> buffers_of_member_;
  const EnsembleState* state_ = nullptr;  ///< null: rows are encoded
  MatrixView inputs_;
  MatrixView noise_std_;
  EncodedRows encoded_;  ///< all rows
  EncodedRows taken_;
  bool backwards_ = true;
  base::AlignedVector<float> input_room_;
  Matrix variance_room_;
};

/// The networks at `inputs` [N x d] with known noise `noise_std` [N x q] or empty, both in data units and finite; the
/// views must outlive the result. Throws data for wrong shapes and values, usage for a model without networks.
MemberSource networks_at(const EnsembleState& state, MatrixView inputs, MatrixView noise_std);
MemberSource networks_at(const EnsembleState& state, const EncodedRows& rows);

/// The arrays of an ensemble of the same members, which must outlive the result. Throws data where they do not fit.
MemberSource arrays_at(const EnsembleState& state, const OutputRows& rows);
MemberSource arrays_at(const EnsembleState& state, const MemberOutputs& outputs);

/// How sentences call an array of a member.
std::string of_member(std::string_view array, std::size_t member);

/// Rows of a variance with one column for each output, also where the outputs share their noise.
Matrix variance_block(MatrixView variance, std::size_t first, std::size_t count, std::size_t outputs);

/// Variances of a member at rows, with one column for each output; of C classes, which have no noise, one column of C
/// (docs/method.md, the bound).
Matrix variances_of(const OutputRows& rows, std::size_t member, std::size_t first, std::size_t count);

/// Throws data unless members, features, outputs and units are those of the model.
void check_fit(const EnsembleState& state, const MemberOutputs& outputs);

/// Throws data for wrong shapes and unusable noise, usage for a model without networks.
void check_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std);

/// Throws usage for a model made from arrays.
void require_networks(const EnsembleState& state);

/// Throws usage if the model was trained with known noise and none is given.
void require_known_noise(const EnsembleState& state, std::size_t rows, MatrixView noise_std);

/// Makes room for `rows` rows; those that are there stay.
void resize_components(const EnsembleState& state, std::size_t rows, MixtureComponents& components);

/// Writes the components of rows [first, end) in data units. `features` is room for one row.
void write_components(const EnsembleState& state, MemberReader& reader, std::size_t first, std::size_t end,
                      std::vector<double>& features, MixtureComponents& components);

/// The predictive distribution at all rows, computed by `threads` threads.
Predictive predictive_of(const EnsembleState& state, const MemberSource& source, int threads);

/// Rows that a thread draws at a time: enough that making the weights of a draw costs little beside using them.
constexpr std::size_t sampled_rows = 1024;

/// Draws from the regression function and from observations (paper, Algorithm 2). Draw j: 1. a member l by weight;
/// 2. weights W_l + dW with rows dW_k ~ N(0, Sigma_lk); 3. the function (W + dW) phi at every row; 4. for observations,
/// noise of the member's variance. A draw depends on the seed, its own number and the rows' numbers alone, which begin
/// with `first_row`: some rows at a time give what all at once do.
Samples draw_samples(const EnsembleState& state, const MemberSource& source, const SampleOptions& options,
                     std::size_t first_row = 0);

/// Draws as those of draw_samples where the inputs of each draw [N x d] are its own.
Samples draw_samples_at(const EnsembleState& state, const std::function<Matrix(std::size_t draw)>& inputs_of,
                        std::size_t rows, const SampleOptions& options, std::size_t first_row = 0);

/// How the regression function at one row goes with the function at another: per output k the matrix
/// sum_l w_l [(m_li - m_i)(m_lj - m_j) + phi_li^T Sigma_lk phi_lj] over rows i and j, [N x N], in data units.
std::vector<Matrix> joint_covariance(const EnsembleState& state, const MemberSource& source);

}  // namespace credens::model
