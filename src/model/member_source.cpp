// SPDX-License-Identifier: Apache-2.0

#include "model/member_source.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "data/row_checks.hpp"
#include "math/linalg.hpp"

namespace credens::model {

namespace {

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
  const bool has_classes = state.schema.is_classification();
  base::require(rows.has_classes() == has_classes, ErrorCode::data, "{}",
                has_classes ? "the outputs are means, but the model predicts classes: expected logits"
                            : "the outputs are logits of classes, but the model predicts numbers");
  base::require(rows.members() == state.members.size(), ErrorCode::data,
                "the outputs are those of {} members, expected {}", rows.members(), state.members.size());
  base::require(rows.outputs() == state.target_scaler.cols(), ErrorCode::data,
                "the {} of the outputs has {} columns, expected {}", has_classes ? "array of logits" : "mean",
                rows.outputs(), state.target_scaler.cols());
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    base::require(rows.features[l].cols() == state.members[l].features, ErrorCode::data,
                  "the outputs have {} features for member {}, expected {}", rows.features[l].cols(), l,
                  state.members[l].features);
  }
}

MatrixView rows_or_none(MatrixView values, std::size_t first, std::size_t count) {
  return values.empty() ? MatrixView{} : values.row_block(first, count);
}

/// Says which value it was that encoding refused.
[[noreturn]] void fail_inputs(const data::Encoder& encoder, MatrixView inputs, std::size_t first_row) {
  const auto [row, col] = data::refused_cell(encoder, inputs);
  const double value = inputs(row, col);
  base::fail(ErrorCode::data, "inputs: row {}, column {} is {}, {}", first_row + row, col, value,
             std::isfinite(value) ? "too far from the training data for a network in single precision"
                                  : "expected a finite number");
}

void check_finite(const MemberView& rows, std::size_t member, std::size_t first_row) {
  const std::size_t last_variance = rows.variance.cols() - 1;
  for (std::size_t i = 0; i < rows.mean.rows(); ++i) {
    for (std::size_t k = 0; k < rows.mean.cols(); ++k) {
      if (std::isfinite(rows.mean(i, k)) && std::isfinite(rows.variance(i, std::min(k, last_variance)))) continue;
      base::fail(ErrorCode::numerical,
                 "row {}: the output of member {} is not finite, its inputs lie too far from the training data",
                 first_row + i, member);
    }
  }
}

/// Views of arrays where they lie; only a variance that outputs share is spread over them.
class ArrayReader : public MemberReader {
 public:
  explicit ArrayReader(OutputRows rows) : rows_(std::move(rows)) {}

  void take(std::size_t first, std::size_t) override { first_ = first; }
  MemberView member(std::size_t l, std::size_t first, std::size_t count) override {
    spread_ = variances_of(rows_, l, first_ + first, count);
    return {.features = rows_.features[l].row_block(first_ + first, count),
            .mean = rows_.head()[l].row_block(first_ + first, count),
            .variance = spread_};
  }

 private:
  OutputRows rows_;
  std::size_t first_ = 0;
  Matrix spread_;
};

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

bool encode_inputs(const data::Encoder& encoder, MatrixView inputs, float* out, std::size_t stride,
                   std::size_t first_row) {
  const data::Encoded encoded = data::encode(encoder, inputs, out, stride);
  if (!encoded.in_range) fail_inputs(encoder, inputs, first_row);
  return encoded.has_missing;
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
              .has_missing = encoded_.has_missing,
              .known_variance = rows_or_none(encoded_.known_variance, first, count)};
    return;
  }
  const std::size_t stride = math::padded(state_->encoder.width());
  input_room_.resize(std::max(input_room_.size(), count * stride));
  const bool has_missing =
      encode_inputs(state_->encoder, inputs_.row_block(first, count), input_room_.data(), stride, first);
  fill_known_variance(state_->target_scaler, rows_or_none(noise_std_, first, count), variance_room_);
  taken_ = {.first_row = first,
            .rows = count,
            .inputs = input_room_.data(),
            .stride = stride,
            .has_missing = has_missing,
            .known_variance = variance_room_};
}

MemberView NetworkReader::member(std::size_t l, std::size_t first, std::size_t count) {
  const Member& member = members_[l];
  ForwardBuffers& buffers = buffers_[buffers_of_member_[l]];
  buffers.reserve(member.network->shape(), std::min(taken_.rows, forward_rows));
  const MemberView rows = member_view(*member.network, taken_.inputs + first * taken_.stride, taken_.stride, count,
                                      taken_.has_missing, rows_or_none(taken_.known_variance, first, count), buffers);
  check_finite(rows, member.index, taken_.first_row + first);
  return rows;
}

void check_fit(const EnsembleState& state, const MemberOutputs& outputs) {
  check_shapes(state, outputs);
  base::require(outputs.classes.empty() || outputs.classes == state.schema.classes, ErrorCode::data,
                "the classes of the outputs are {}, in the model {}", base::join(outputs.classes, ", "),
                base::join(state.schema.classes, ", "));
  check_units(outputs.target_scale, 1, state.target_scaler.scale, "target_scale");
  check_units(outputs.target_shift, 0, state.target_scaler.shift, "target_shift");
  base::require(outputs.target_names.empty() || outputs.target_names == state.schema.target_names(), ErrorCode::data,
                "the outputs are called {}, in the model {}", base::join(outputs.target_names, ", "),
                base::join(state.schema.target_names(), ", "));
}

void check_rows(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  require_networks(state);
  base::require(inputs.rows() == 0 || inputs.cols() == state.encoder.inputs(), ErrorCode::data,
                "inputs have {} columns, expected {}", inputs.cols(), state.encoder.inputs());
  if (noise_std.empty()) return;
  base::check_shape(noise_std, inputs.rows(), state.target_scaler.cols(), "noise_std");
  data::check_noise(noise_std, state.target_scaler.scale, [](std::size_t row, std::size_t column) {
    return fmt::format("noise_std: row {}, column {}", row, column);
  });
}

MemberSource networks_at(const EnsembleState& state, MatrixView inputs, MatrixView noise_std) {
  check_rows(state, inputs, noise_std);
  return {.rows = inputs.rows(), .reader = [&state, inputs, noise_std] {
            auto reader = std::make_unique<NetworkReader>(state.members);
            reader->set_rows(state, inputs, noise_std);
            return reader;
          }};
}

MemberSource networks_at(const EnsembleState& state, const EncodedRows& rows) {
  return {.rows = rows.rows, .reader = [&state, rows] {
            auto reader = std::make_unique<NetworkReader>(state.members);
            reader->set_rows(rows);
            return reader;
          }};
}

MemberSource arrays_at(const EnsembleState& state, const OutputRows& rows) {
  check(rows);
  check_shapes(state, rows);
  return {.rows = rows.rows(), .reader = [rows] { return std::make_unique<ArrayReader>(rows); }};
}

MemberSource arrays_at(const EnsembleState& state, const MemberOutputs& outputs) {
  check(outputs);
  check_fit(state, outputs);
  return {.rows = outputs.rows(), .reader = [&outputs] { return std::make_unique<ArrayReader>(outputs); }};
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

// 7.2 GB of doubles: 30,000 rows of one output.
constexpr double largest_joint_result = 9e8;

void check_joint_size(std::size_t rows, std::size_t outputs) {
  const double n = static_cast<double>(rows);
  base::require(n * n * static_cast<double>(outputs) <= largest_joint_result, ErrorCode::usage,
                "the joint covariance of {} rows and {} outputs has more than {:.0f} values, choose fewer rows", rows,
                outputs, largest_joint_result);
}

/// S^T phi_i of output k in column i: [P x N], whose Gram matrix over columns is phi_i^T Sigma_k phi_j.
Matrix whitened_columns(const MemberPosterior& posterior, const Matrix& features, std::size_t output) {
  Matrix columns(random_weights(posterior, features.cols()), features.rows());
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const std::vector<double> column = whitened(posterior, features.row(i), output);
    for (std::size_t j = 0; j < column.size(); ++j) columns(j, i) = column[j];
  }
  return columns;
}

/// m_li - m_i of output k as a row: [1 x N].
Matrix deviation_row(const Predictive& predictive, const Matrix& mean, std::size_t member, std::size_t output) {
  const MixtureComponents& components = predictive.components();
  Matrix row(1, components.rows);
  for (std::size_t i = 0; i < components.rows; ++i) {
    const std::size_t at = (i * components.weights.size() + member) * components.outputs + output;
    row(0, i) = components.mean[at] - mean(i, output);
  }
  return row;
}

void add_outer_products(const Matrix& rows, double weight, Matrix& covariance) {
  math::add_weighted_gram(rows, std::vector<double>(rows.rows(), weight), covariance);
}

}  // namespace

void write_components(const EnsembleState& state, MemberReader& reader, std::size_t first, std::size_t end,
                      std::vector<double>& features, MixtureComponents& components) {
  for (; first < end; first += forward_rows) {
    const std::size_t count = std::min(forward_rows, end - first);
    reader.take(first, count);
    for (std::size_t position = 0; position < state.members.size(); ++position) {
      const std::size_t l = reader.member_at(position);
      write_member(state, l, reader.member(l, 0, count), first, features, components);
    }
  }
}

Predictive predictive_of(const EnsembleState& state, const MemberSource& source, int threads) {
  MixtureComponents components;
  resize_components(state, source.rows, components);
  const std::size_t blocks = (source.rows + forward_rows - 1) / forward_rows;
  const auto tasks = std::min<std::size_t>(blocks, 8 * static_cast<std::size_t>(base::thread_count(threads)));
  base::parallel_for(tasks, threads, [&](std::size_t task) {
    const std::size_t first = task * blocks / tasks * forward_rows;
    const std::size_t end = std::min(source.rows, (task + 1) * blocks / tasks * forward_rows);
    std::vector<double> features;
    write_components(state, *source.reader(), first, end, features, components);
  });
  return Predictive(std::move(components));
}

std::vector<Matrix> joint_covariance(const EnsembleState& state, const MemberSource& source) {
  const std::size_t outputs = state.target_scaler.cols();
  check_joint_size(source.rows, outputs);
  const Predictive predictive = predictive_of(state, source, 0);
  const Matrix mean = predictive.mean();
  const std::unique_ptr<MemberReader> reader = source.reader();
  reader->take(0, source.rows);

  std::vector<Matrix> covariances(outputs, Matrix(source.rows, source.rows));
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const double weight = state.weights[l];
    const MemberPosterior& posterior = state.members[l].posterior;
    const Matrix features = member_block(*reader, l, source.rows).features;
    for (std::size_t k = 0; weight > 0 && k < outputs; ++k) {
      add_outer_products(deviation_row(predictive, mean, l, k), weight, covariances[k]);
      if (posterior.kind == PosteriorKind::delta) continue;
      const double scale = state.target_scaler.scale[k];
      add_outer_products(whitened_columns(posterior, features, k), weight * (scale * scale), covariances[k]);
    }
  }
  return covariances;
}

}  // namespace credens::model
