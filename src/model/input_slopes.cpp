// SPDX-License-Identifier: Apache-2.0

#include "model/input_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/check.hpp"
#include "model/member_source.hpp"

namespace credens::model {

/// Forward and backward through one network. Letters: u what enters the first layer, z its numbers.
class SlopeReader::Pass {
 public:
  explicit Pass(const Mlp& network) : network_(network), shape_(network.shape()) {
    for (std::size_t i = 0; i < shape_.layers(); ++i) {
      const math::PanelShape panel = shape_.layer(i);
      const std::size_t values = forward_rows * math::padded(panel.out);
      const bool has_slope = i + 1 < shape_.layers() && math::needs_slope(shape_.activation);
      layers_.push_back({.panel = panel,
                         .transposed = base::AlignedVector<float>(panel.transposed_size()),
                         .output = base::AlignedVector<float>(values),
                         .slope = base::AlignedVector<float>(has_slope ? values : 0),
                         .delta = base::AlignedVector<float>(values)});
      math::transpose_panels(network.layer(i), panel, layers_.back().transposed.data());
    }
    entered_.resize(forward_rows * entered_stride());
    entered_delta_.resize(entered_.size());
  }

  /// `inputs` are encoded rows without missing numbers.
  void forward(const float* inputs, std::size_t stride, std::size_t rows) {
    rows_ = rows;
    enter(network_, inputs, stride, rows, entered_.data(), entered_stride());
    const float* below = entered_.data();
    std::size_t below_stride = entered_stride();
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      Layer& layer = layers_[i];
      math::dense_forward(below, below_stride, rows, network_.layer(i), layer.panel,
                          i + 1 < layers_.size() ? &shape_.activation : nullptr, layer.output.data(), layer.stride(),
                          layer.slope_data());
      below = layer.output.data();
      below_stride = layer.stride();
    }
  }

  /// The raw value of a unit of the head at row i.
  float head(std::size_t i, std::size_t unit) const {
    return layers_.back().output[i * layers_.back().stride() + unit];
  }

  /// Afterwards `by_number` tells the derivatives of this unit of the head.
  void backward(std::size_t unit) {
    Layer& top = layers_.back();
    std::ranges::fill(top.delta, 0.0F);
    for (std::size_t i = 0; i < rows_; ++i) top.delta[i * top.stride() + unit] = 1;
    for (std::size_t i = layers_.size(); i-- > 1;) {
      const Layer& layer = layers_[i];
      Layer& below = layers_[i - 1];
      math::dense_backward_input(layer.delta.data(), layer.stride(), rows_, layer.transposed.data(), layer.panel,
                                 &shape_.activation, below.output.data(), below.slope_data(), below.delta.data(),
                                 below.stride());
    }
    const Layer& first = layers_.front();
    math::dense_backward_input(first.delta.data(), first.stride(), rows_, first.transposed.data(), first.panel, nullptr,
                               nullptr, nullptr, entered_delta_.data(), entered_stride());
  }

  /// dL/dz_j = dL/du_j + 2 pi sum_m c_jm (cos dL/dsin - sin dL/dcos).
  double by_number(std::size_t i, std::size_t j) const {
    const float* u = entered_.data() + i * entered_stride();
    const float* du = entered_delta_.data() + i * entered_stride();
    const math::EmbeddingShape embedding = shape_.embedding();
    double sum = 0;
    for (std::size_t m = 0; m < embedding.frequencies; ++m) {
      const std::size_t wave = j * embedding.frequencies + m;
      const float frequency = network_.frequencies()[wave];
      if (!(std::abs(frequency * u[j]) < math::most_turns)) continue;  // constant from there on
      const std::size_t sine = embedding.inputs + wave;
      const std::size_t cosine = sine + embedding.waves();
      sum += static_cast<double>(frequency) *
             (static_cast<double>(u[cosine]) * du[sine] - static_cast<double>(u[sine]) * du[cosine]);
    }
    return du[j] + 2 * std::numbers::pi * sum;
  }

  /// d log v / d raw at row i and noise unit `unit`; 0 beyond the range of raw values.
  double log_variance_slope(std::size_t i, std::size_t unit) const {
    base::AlignedVector<float> raw(math::panel_width, head(i, shape_.outputs + unit));
    if (!network_.noise_ranges().empty()) {
      const auto [low, high] = network_.noise_ranges()[unit];
      if (raw[0] < low || raw[0] > high) return 0;
    }
    base::AlignedVector<float> variance(math::panel_width);
    base::AlignedVector<float> slope(math::panel_width);
    math::noise_variance(shape_.noise_link, static_cast<float>(noise_floor), 1, raw.data(), variance.data(),
                         slope.data());
    return static_cast<double>(slope[0]) / variance[0];
  }

 private:
  struct Layer {
    math::PanelShape panel;
    base::AlignedVector<float> transposed;
    base::AlignedVector<float> output;
    base::AlignedVector<float> slope;
    base::AlignedVector<float> delta;

    std::size_t stride() const { return math::padded(panel.out); }
    float* slope_data() { return slope.empty() ? nullptr : slope.data(); }
  };

  std::size_t entered_stride() const { return math::padded(shape_.embedded_inputs()); }

  const Mlp& network_;
  const MlpShape& shape_;
  std::size_t rows_ = 0;
  std::vector<Layer> layers_;
  base::AlignedVector<float> entered_;        ///< u
  base::AlignedVector<float> entered_delta_;  ///< dL/du
};

namespace {

/// d z_j / d x_j: 1 / scale, and with an asinh transform 1 / sqrt(width^2 + (x - centre)^2) beside it.
double scale_slope(const data::Scaler& scaler, std::size_t col, double value) {
  if (!scaler.has_asinh(col)) return 1 / scaler.scale[col];
  return 1 / (scaler.scale[col] * std::hypot(scaler.width[col], value - scaler.centre[col]));
}

bool is_number(const data::Encoder& encoder, std::size_t col) {
  return encoder.columns().empty() || encoder.columns()[col].kind == ColumnKind::number;
}

}  // namespace

SlopeReader::SlopeReader(const EnsembleState& state) : state_(state) {
  require_networks(state);
  for (const Member& member : state.members) passes_.push_back(std::make_unique<Pass>(*member.network));
}

SlopeReader::~SlopeReader() = default;

void SlopeReader::take(MatrixView inputs) {
  check_rows(state_, inputs, {});
  base::require(inputs.rows() <= forward_rows, ErrorCode::usage, "slopes at {} rows, expected at most {}",
                inputs.rows(), forward_rows);
  inputs_ = inputs;
  stride_ = math::padded(state_.encoder.width());
  encoded_.resize(forward_rows * stride_);
  encode_inputs(state_.encoder, inputs, encoded_.data(), stride_, 0);
  input_scale_ = Matrix(inputs.rows(), inputs.cols());
  for (std::size_t i = 0; i < inputs.rows(); ++i) {
    for (std::size_t j = 0; j < inputs.cols(); ++j) {
      const bool counts = is_number(state_.encoder, j) && !std::isnan(inputs(i, j));
      input_scale_(i, j) = counts ? scale_slope(state_.encoder.scaler, j, inputs(i, j)) : 0;
    }
  }
}

const InputSlopes& SlopeReader::member(std::size_t l) {
  const Mlp& network = *state_.members[l].network;
  const MlpShape& shape = network.shape();
  const std::size_t rows = inputs_.rows();
  base::AlignedVector<float> complete = encoded_;
  if (shape.inputs > 0 && !network.substitutes().empty()) substitute_missing(network, complete.data(), stride_, rows);
  Pass& pass = *passes_[l];
  pass.forward(complete.data(), stride_, rows);
  slopes_.mean = Matrix(rows * shape.outputs, inputs_.cols());
  slopes_.log_variance = slopes_.mean;
  for (std::size_t unit = 0; unit < shape.head_units(); ++unit) {
    pass.backward(unit);
    const bool is_mean = unit < shape.outputs;
    for (std::size_t i = 0; i < rows; ++i) {
      const double outer = is_mean ? (shape.has_classes() ? 1 : state_.target_scaler.scale[unit])
                                   : pass.log_variance_slope(i, unit - shape.outputs);
      std::size_t number = 0;  // among the floats of the encoded row: words have none
      for (std::size_t j = 0; j < inputs_.cols(); ++j) {
        const bool is_word =
            !state_.encoder.columns().empty() && state_.encoder.columns()[j].kind == ColumnKind::category;
        if (is_word) continue;
        const double slope = outer * input_scale_(i, j) * pass.by_number(i, number++);
        if (is_mean) {
          slopes_.mean(i * shape.outputs + unit, j) = slope;
        } else if (shape.noise == NoiseKind::shared) {
          for (std::size_t k = 0; k < shape.outputs; ++k) slopes_.log_variance(i * shape.outputs + k, j) = slope;
        } else {
          slopes_.log_variance(i * shape.outputs + unit - shape.outputs, j) = slope;
        }
      }
    }
  }
  return slopes_;
}

}  // namespace credens::model
