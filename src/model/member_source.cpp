// SPDX-License-Identifier: Apache-2.0

#include "model/member_source.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/row_checks.hpp"
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
  data::check_noise(noise_std, state.target_scaler.scale, [](std::size_t row, std::size_t column) {
    return fmt::format("noise_std: row {}, column {}", row, column);
  });
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

MatrixView rows_or_none(MatrixView values, std::size_t first, std::size_t count) {
  return values.empty() ? MatrixView{} : values.row_block(first, count);
}

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

void check_finite(const MemberView& rows, std::size_t member, std::size_t first_row) {
  for (std::size_t i = 0; i < rows.mean.rows(); ++i) {
    for (std::size_t k = 0; k < rows.mean.cols(); ++k) {
      if (std::isfinite(rows.mean(i, k)) && std::isfinite(rows.variance(i, k))) continue;
      base::fail(ErrorCode::numerical,
                 "row {}: the output of member {} is not finite, its inputs lie too far from the training data",
                 first_row + i, member);
    }
  }
}

class NetworkSource : public MemberSource {
 public:
  NetworkSource(const EnsembleState& state, MatrixView inputs, MatrixView noise_std)
      : state_(state), inputs_(inputs), noise_std_(noise_std) {}

  std::size_t rows() const override { return inputs_.rows(); }
  std::unique_ptr<MemberReader> reader() const override {
    auto reader = std::make_unique<NetworkReader>(state_.members);
    reader->set_rows(state_, inputs_, noise_std_);
    return reader;
  }

 private:
  const EnsembleState& state_;
  MatrixView inputs_;
  MatrixView noise_std_;
};

class EncodedSource : public MemberSource {
 public:
  EncodedSource(const EnsembleState& state, const EncodedRows& rows) : state_(state), rows_(rows) {}

  std::size_t rows() const override { return rows_.rows; }
  std::unique_ptr<MemberReader> reader() const override {
    auto reader = std::make_unique<NetworkReader>(state_.members);
    reader->set_rows(rows_);
    return reader;
  }

 private:
  const EnsembleState& state_;
  EncodedRows rows_;
};

/// Views of arrays where they lie; only a variance that outputs share is spread over them.
class ArrayReader : public MemberReader {
 public:
  explicit ArrayReader(const OutputRows& rows) : rows_(rows) {}

  void take(std::size_t first, std::size_t) override { first_ = first; }
  MemberView member(std::size_t l, std::size_t first, std::size_t count) override {
    spread_ = variance_block(rows_.variance[l], first_ + first, count, rows_.outputs());
    return {.features = rows_.features[l].row_block(first_ + first, count),
            .mean = rows_.mean[l].row_block(first_ + first, count),
            .variance = spread_};
  }

 private:
  const OutputRows& rows_;
  std::size_t first_ = 0;
  Matrix spread_;
};

class ArraySource : public MemberSource {
 public:
  explicit ArraySource(OutputRows rows) : rows_(std::move(rows)) {}

  std::size_t rows() const override { return rows_.rows(); }
  std::unique_ptr<MemberReader> reader() const override { return std::make_unique<ArrayReader>(rows_); }

 private:
  OutputRows rows_;
};

std::size_t blocks_of(std::size_t rows) {
  return (rows + forward_rows - 1) / forward_rows;
}

}  // namespace

MemberBlock member_block(MemberReader& reader, std::size_t l, std::size_t count) {
  MemberBlock block;
  for (std::size_t first = 0; first < count; first += forward_rows) {
    const std::size_t some = std::min(forward_rows, count - first);
    const MemberView view = reader.member(l, first, some);
    if (first == 0) {
      block = {Matrix(count, view.features.cols()), Matrix(count, view.mean.cols()), Matrix(count, view.mean.cols())};
    }
    for (std::size_t i = 0; i < some; ++i) {
      view.features.copy_row(i, block.features.row(first + i));
      std::ranges::copy(view.mean.row(i), block.mean.row(first + i).begin());
      std::ranges::copy(view.variance.row(i), block.variance.row(first + i).begin());
    }
  }
  return block;
}

void encode_inputs(const data::Scaler& scaler, MatrixView inputs, float* out, std::size_t stride,
                   std::size_t first_row) {
  if (!data::scale_in_range(scaler, inputs, out, stride)) fail_inputs(scaler, inputs, first_row);
}

void fill_known_variance(const data::Scaler& targets, MatrixView noise_std, Matrix& variance) {
  variance.resize(noise_std.rows(), noise_std.cols());
  for (std::size_t i = 0; i < noise_std.rows(); ++i) {
    for (std::size_t k = 0; k < noise_std.cols(); ++k) {
      const double scaled = noise_std(i, k) / targets.scale[k];
      variance(i, k) = scaled * scaled;
    }
  }
}

NetworkReader::NetworkReader(std::span<const Member> members) : members_(members) {
  const MlpShape* last = nullptr;
  for (const Member& member : members) {
    const MlpShape& shape = member.network->shape();
    if (last == nullptr || *last != shape) buffers_.emplace_back(shape, 0);
    buffers_of_member_.push_back(buffers_.size() - 1);
    last = &shape;
  }
}

void NetworkReader::set_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  state_ = &state;
  inputs_ = inputs;
  noise_std_ = noise_std;
}

void NetworkReader::set_rows(const EncodedRows& rows) {
  state_ = nullptr;
  encoded_ = rows;
}

void NetworkReader::take(std::size_t first, std::size_t count) {
  backwards_ = !backwards_;
  if (state_ == nullptr) {
    taken_ = {.first_row = encoded_.first_row + first,
              .rows = count,
              .inputs = encoded_.inputs + first * encoded_.stride,
              .stride = encoded_.stride,
              .known_variance = rows_or_none(encoded_.known_variance, first, count)};
    return;
  }
  const std::size_t stride = math::padded(state_->input_scaler.cols());
  input_room_.resize(std::max(input_room_.size(), count * stride));
  encode_inputs(state_->input_scaler, inputs_.row_block(first, count), input_room_.data(), stride, first);
  fill_known_variance(state_->target_scaler, rows_or_none(noise_std_, first, count), variance_room_);
  taken_ = {.first_row = first,
            .rows = count,
            .inputs = input_room_.data(),
            .stride = stride,
            .known_variance = variance_room_};
}

MemberView NetworkReader::member(std::size_t l, std::size_t first, std::size_t count) {
  const Member& member = members_[l];
  ForwardBuffers& buffers = buffers_[buffers_of_member_[l]];
  buffers.reserve(member.network->shape(), std::min(taken_.rows, forward_rows));
  const MemberView rows = member_view(*member.network, taken_.inputs + first * taken_.stride, taken_.stride, count,
                                      rows_or_none(taken_.known_variance, first, count), buffers);
  check_finite(rows, member.index, taken_.first_row + first);
  return rows;
}

void check_fit(const EnsembleState& state, const MemberOutputs& outputs) {
  check_shapes(state, outputs);
  check_units(outputs.target_scale, 1, state.target_scaler.scale, "target_scale");
  check_units(outputs.target_shift, 0, state.target_scaler.shift, "target_shift");
  base::require(outputs.target_names.empty() || outputs.target_names == state.schema.target_names(), ErrorCode::data,
                "the outputs are called {}, in the model {}", base::join(outputs.target_names, ", "),
                base::join(state.schema.target_names(), ", "));
}

void check_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  check_inputs(state, inputs);
  check_noise(state, inputs.rows(), noise_std);
}

std::unique_ptr<MemberSource> networks_at(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  check_rows(state, inputs, noise_std);
  return std::make_unique<NetworkSource>(state, inputs, noise_std);
}

std::unique_ptr<MemberSource> networks_at(const EnsembleState& state, const EncodedRows& rows) {
  return std::make_unique<EncodedSource>(state, rows);
}

std::unique_ptr<MemberSource> arrays_at(const EnsembleState& state, const OutputRows& rows) {
  check(rows);
  check_shapes(state, rows);
  return std::make_unique<ArraySource>(rows);
}

std::unique_ptr<MemberSource> arrays_at(const EnsembleState& state, const MemberOutputs& outputs) {
  check(outputs);
  check_fit(state, outputs);
  return std::make_unique<ArraySource>(outputs);
}

void require_networks(const EnsembleState& state) {
  base::require(state.has_networks(), ErrorCode::usage,
                "this model has no networks: it predicts from the outputs of its members, not from inputs");
}

void require_known_noise(const EnsembleState& state, std::size_t rows, MatrixView noise_std) {
  base::require(!state.schema.has_noise || rows == 0 || !noise_std.empty(), ErrorCode::usage,
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

void write_member(const EnsembleState& state, std::size_t l, const MemberView& rows, std::size_t first,
                  std::vector<double>& features, MixtureComponents& components) {
  const MemberPosterior& posterior = state.members[l].posterior;
  const std::size_t q = components.outputs;
  for (std::size_t i = 0; i < rows.mean.rows(); ++i) {
    const std::size_t at = ((first + i) * state.members.size() + l) * q;
    const std::span<double> epistemic = std::span(components.epistemic_variance).subspan(at, q);
    if (posterior.kind == PosteriorKind::delta) {
      std::ranges::fill(epistemic, 0.0);
    } else {
      epistemic_variances(posterior, rows.features.row(i, features), epistemic);
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

void write_components(const EnsembleState& state, MemberReader& reader, std::size_t first, std::size_t count,
                      std::vector<double>& features, MixtureComponents& components) {
  for (std::size_t position = 0; position < state.members.size(); ++position) {
    const std::size_t l = reader.member_at(position);
    write_member(state, l, reader.member(l, 0, count), first, features, components);
  }
}

Predictive predictive_of(const EnsembleState& state, const MemberSource& source, int threads) {
  MixtureComponents components;
  resize_components(state, source.rows(), components);
  const std::size_t blocks = blocks_of(source.rows());
  const auto tasks = std::min<std::size_t>(blocks, 8 * static_cast<std::size_t>(base::thread_count(threads)));
  base::parallel_for(tasks, threads, [&](std::size_t task) {
    const std::unique_ptr<MemberReader> reader = source.reader();
    std::vector<double> features;
    for (std::size_t index = task * blocks / tasks; index < (task + 1) * blocks / tasks; ++index) {
      const std::size_t first = index * forward_rows;
      const std::size_t count = std::min(forward_rows, source.rows() - first);
      reader->take(first, count);
      write_components(state, *reader, first, count, features, components);
    }
  });
  return Predictive(std::move(components));
}

}  // namespace credens::model
