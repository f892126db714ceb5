// SPDX-License-Identifier: Apache-2.0
//
// A member's network: a periodic embedding of its numbers or none, learned vectors of words, hidden layers with one
// activation, then a linear head with q means and the raw values of the noise.
//
// Letters: d numbers, k frequencies per number, p features (width of the last hidden layer; of what enters the first
// layer without hidden ones), q outputs.

#pragma once

#include <credens/dataset.hpp>
#include <credens/matrix.hpp>
#include <credens/network.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "base/aligned.hpp"
#include "data/encoder.hpp"
#include "math/kernels.hpp"

namespace credens::model {

/// The least learned noise variance, in network units.
constexpr double noise_floor = 1e-6;

struct MlpShape {
  std::size_t inputs = 0;  ///< d
  std::vector<std::size_t> hidden;
  Activation activation = Activation::relu;
  std::size_t outputs = 1;       ///< q means, or logits of q classes
  Task task = Task::regression;  ///< classes have no noise
  NoiseKind noise = NoiseKind::shared;
  NoiseLink noise_link = NoiseLink::softplus;
  std::size_t frequencies = 0;                ///< k trained frequencies per number; 0: no embedding
  std::size_t flags = 0;                      ///< floats that enter as they are
  std::vector<data::LevelTable> tables = {};  ///< of learned vectors, one for each column of words

  math::EmbeddingShape embedding() const { return {inputs, frequencies}; }
  std::size_t row_width() const { return inputs + flags + tables.size(); }  ///< floats of an encoded row
  std::size_t embedded_inputs() const;                                      ///< d (1 + 2 k), flags and vectors
  bool enters_as_is() const { return frequencies == 0 && tables.empty(); }  ///< an encoded row is what layers see
  std::size_t table_values() const;                                         ///< floats of all tables
  std::size_t features() const { return hidden.empty() ? embedded_inputs() : hidden.back(); }
  bool has_classes() const { return task == Task::classification; }
  bool has_constant_noise() const { return !has_classes() && noise == NoiseKind::constant; }
  std::size_t noise_units() const;  ///< raw values of the noise head: 1 (shared), q (per output), 0 (constant, known)
  std::size_t head_units() const { return outputs + noise_units(); }
  std::size_t layers() const { return hidden.size() + 1; }
  math::PanelShape layer(std::size_t index) const;  ///< the last one is the head
  bool operator==(const MlpShape&) const = default;
};

/// Bounds of a raw value of the noise.
struct NoiseRange {
  float low = 0;
  float high = 0;
  bool operator==(const NoiseRange&) const = default;
};

/// All parameters in one buffer, layer after layer in panel layout (math/kernels.hpp), then the q raw values of
/// constant noise, the d k frequencies and the tables, row after row.
class Mlp {
 public:
  explicit Mlp(MlpShape shape);  ///< all parameters zero

  const MlpShape& shape() const { return shape_; }
  std::span<float> parameters() { return parameters_; }
  std::span<const float> parameters() const { return parameters_; }
  std::size_t prior_size() const {
    return constant_noise_at_;
  }  ///< leading parameters that the prior covers: all but constant noise and frequencies

  float* layer(std::size_t index) { return parameters_.data() + layer_at_[index]; }
  const float* layer(std::size_t index) const { return parameters_.data() + layer_at_[index]; }
  std::size_t layer_offset(std::size_t index) const { return layer_at_[index]; }

  /// q raw values; empty unless noise is constant.
  std::span<float> constant_noise() { return parameters().subspan(constant_noise_at_, constant_noise_size()); }
  std::span<const float> constant_noise() const {
    return parameters().subspan(constant_noise_at_, constant_noise_size());
  }
  /// One per noise unit, or none: raw values beyond count as the end of their range.
  const std::vector<NoiseRange>& noise_ranges() const { return noise_ranges_; }
  void set_noise_ranges(std::vector<NoiseRange> ranges);
  /// c [d x k], row-major; empty without embedding.
  std::span<float> frequencies() { return parameters().subspan(frequencies_at_, shape_.embedding().waves()); }
  std::span<const float> frequencies() const {
    return parameters().subspan(frequencies_at_, shape_.embedding().waves());
  }
  /// All tables, one after the other. They begin at a whole panel, as kernels want it.
  std::span<float> tables() { return parameters().last(shape_.table_values()); }
  std::span<const float> tables() const { return parameters().last(shape_.table_values()); }
  std::size_t tables_offset() const { return parameters_.size() - shape_.table_values(); }

  /// Values that the member takes for numbers that are missing and have no flag: d of them in network units, or none
  /// for a network that cannot answer such rows.
  const std::vector<float>& substitutes() const { return substitutes_; }
  void set_substitutes(std::vector<float> values);

  // Row-major access, for files, tests and the posterior.
  BasicMatrix<float> weight(std::size_t layer) const;  ///< [out x in]
  std::vector<float> bias(std::size_t layer) const;    ///< [out]
  void set_layer(std::size_t layer, BasicMatrixView<float> weight, std::span<const float> bias);
  Matrix mean_weight() const;             ///< W [q x p] of the mean head, in double
  std::vector<double> mean_bias() const;  ///< [q]

 private:
  std::size_t constant_noise_size() const { return frequencies_at_ - constant_noise_at_; }

  MlpShape shape_;
  std::vector<std::size_t> layer_at_;
  std::size_t constant_noise_at_ = 0;
  std::size_t frequencies_at_ = 0;
  base::AlignedVector<float> parameters_;
  std::vector<NoiseRange> noise_ranges_;
  std::vector<float> substitutes_;
};

/// Makes an encoded row what the first layer sees: numbers and their waves, flags, and the vectors of its words. `out`
/// has rows of `out_stride` floats, pads zero. A missing number must have its substitute.
void enter(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows, float* out,
           std::size_t out_stride);

/// Puts the network's substitutes in the place of missing numbers. Throws data where it has none.
void substitute_missing(const Mlp& network, float* inputs, std::size_t stride, std::size_t rows);

/// The outputs of a network at some rows. Head columns: q means, then the noise's raw values.
struct HeadView {
  const float* features = nullptr;
  std::size_t feature_stride = 0;
  const float* head = nullptr;
  std::size_t head_stride = 0;
};

/// Rows that a forward pass takes at a time, so that their activations stay in a core's cache.
constexpr std::size_t forward_rows = 256;

/// Room for the activations of up to `rows` rows; reused between calls so that a pass allocates nothing.
struct ForwardBuffers {
  ForwardBuffers(const MlpShape& shape, std::size_t rows_at_once) { reserve(shape, rows_at_once); }

  void reserve(const MlpShape& shape, std::size_t rows_at_once);  ///< room for at least as many rows

  std::size_t rows = 0;
  base::AlignedVector<float> complete;  ///< rows with missing numbers, after these have got their substitutes
  base::AlignedVector<float> embedding;
  std::vector<base::AlignedVector<float>> layers;
  base::AlignedVector<float> raw_noise;  ///< raw values of the noise side by side, and what becomes of them
  base::AlignedVector<float> noise_variance;
  base::AlignedVector<float> noise_slope;
  Matrix mean;
  Matrix variance;
};

/// `inputs`: encoded rows of `stride` floats (a multiple of 16, pads zero, 64-byte aligned). The views point into
/// inputs and buffers. `has_missing`: whether a number is NaN.
HeadView forward(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows, bool has_missing,
                 ForwardBuffers& buffers);

/// Features [n x p] where they lie: networks have floats, arrays doubles.
class FeatureView {
 public:
  FeatureView(BasicMatrixView<float> rows) : rows_(rows) {}
  FeatureView(MatrixView rows) : rows_(rows) {}

  std::size_t cols() const {
    return std::visit([](const auto& rows) { return rows.cols(); }, rows_);
  }

  /// One row in double; `room` holds it where it must be copied.
  std::span<const double> row(std::size_t index, std::vector<double>& room) const {
    if (const auto* doubles = std::get_if<MatrixView>(&rows_)) return doubles->row(index);
    room.resize(cols());
    copy_row(index, room);
    return room;
  }
  void copy_row(std::size_t index, std::span<double> into) const {
    visit([&](const auto& rows) { std::ranges::copy(rows.row(index), into.begin()); });
  }

  /// Calls visit with the view of floats or of doubles.
  template <class Visit>
  void visit(const Visit& visit) const {
    std::visit(visit, rows_);
  }

 private:
  std::variant<BasicMatrixView<float>, MatrixView> rows_;
};

/// The outputs of a member at some rows, in network units.
struct MemberView {
  FeatureView features;  ///< [n x p]
  MatrixView mean;       ///< [n x q]; logits of classes
  /// [n x q]: learned (with its floor) plus known; known alone is at least the floor. The inverse of the curvature that
  /// widening sums: for the logits of C classes [n x 1], C (docs/method.md).
  MatrixView variance;
};

/// The outputs of a member as arrays of their own, in double.
struct MemberBlock {
  Matrix features;
  Matrix mean;
  Matrix variance;

  MemberView view() const { return {features.view(), mean, variance}; }
};

/// At most buffers.rows rows; valid until the buffers are used again. `known_variance` [n x q] in network units, or
/// empty.
MemberView member_view(const Mlp& network, const float* inputs, std::size_t stride, std::size_t rows, bool has_missing,
                       MatrixView known_variance, ForwardBuffers& buffers);

}  // namespace credens::model
