// SPDX-License-Identifier: Apache-2.0
//
// The periodic embedding of a network's inputs, and the gradient of its frequencies.
//
// Letters: z [rows x d] inputs, c [d x k] frequencies, u = [z, sin 2 pi c z, cos 2 pi c z], du its gradient. A wave is
// one of the d k pairs of sine and cosine; a vector holds waves that lie side by side, row after row.

#include "math/kernels_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "math/kernels_embedding.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "math/kernels.hpp"
#include "math/kernels_functions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace credens::math::HWY_NAMESPACE {

using Integers = hn::RebindToSigned<Tag>;
constexpr Integers integers;

/// `count` waves from `first` on, and which input each belongs to.
struct Waves {
  std::size_t first;
  std::size_t count;
  hn::Vec<Integers> input;
};

/// The vector of waves at `first`. The last one begins early enough to be whole where there are enough: a wave that is
/// computed twice comes out alike.
HWY_INLINE Waves waves_at(EmbeddingShape shape, std::size_t first) {
  const std::size_t count = std::min(shape.waves(), lanes);
  first = std::min(first, shape.waves() - count);
  HWY_ALIGN std::int32_t input[panel_width] = {};
  std::size_t j = first / shape.frequencies;
  std::size_t k = first % shape.frequencies;
  for (std::size_t lane = 0; lane < count; ++lane) {
    input[lane] = static_cast<std::int32_t>(j);
    if (++k == shape.frequencies) {
      k = 0;
      ++j;
    }
  }
  return {first, count, hn::Load(integers, input)};
}

HWY_INLINE Vector load_some(const float* from, std::size_t count) {
  return count == lanes ? hn::LoadU(tag, from) : hn::Load(tag, Tail(from, count).values);
}

HWY_INLINE void store_some(Vector values, float* to, std::size_t count) {
  if (count == lanes) return hn::StoreU(values, tag, to);
  Tail room(to, count);
  hn::Store(values, tag, room.values);
  room.copy_to(to, count);
}

struct SineAndCosine {
  Vector sine;
  Vector cosine;
};

/// Sine and cosine of c z turns. With n the half turn nearest to c z and r = c z - n, |r| <= 1/4, both are those of r
/// turns, with the other sign where 2 n is odd. The product is rounded once, after n is gone.
HWY_INLINE SineAndCosine wave(Vector c, Vector z) {
  constexpr float sine_series[] = {6.28318548F, -41.3416786F, 81.6022263F, -76.5747833F, 39.7090492F};
  constexpr float cosine_series[] = {-19.7392082F, 64.9393539F, -85.4538269F, 60.1480522F, -25.0056915F};
  const Vector turns = hn::Mul(c, z);
  const auto is_lost = hn::Ge(hn::Abs(turns), constant(most_turns));
  const Vector halves = hn::Round(hn::IfThenZeroElse(is_lost, hn::Add(turns, turns)));
  const Vector r = hn::IfThenZeroElse(is_lost, hn::MulSub(c, z, hn::Mul(halves, constant(0.5F))));
  const Vector square = hn::Mul(r, r);
  const Vector sine = hn::Mul(r, polynomial(sine_series, square));
  const Vector cosine = hn::MulAdd(square, polynomial(cosine_series, square), constant(1.0F));
  const Vector sign = hn::BitCast(tag, hn::ShiftLeft<31>(hn::ConvertTo(integers, halves)));
  return {hn::Xor(sine, sign), hn::Xor(cosine, sign)};
}

/// u = z, with zeros in the panel where the row ends.
HWY_INLINE void copy_inputs(const float* z, EmbeddingShape shape, float* u) {
  float* last_panel = u + padded(shape.width()) - panel_width;
  for (std::size_t t = 0; t < panel_width; t += lanes) hn::Store(hn::Zero(tag), tag, last_panel + t);
  for (std::size_t t = 0; t < padded(shape.inputs); t += lanes) hn::Store(hn::Load(tag, z + t), tag, u + t);
}

/// Rows that stay in the nearest cache while one vector of waves after the other passes over them.
constexpr std::size_t rows_at_once = 32;

void embed(const float* z, std::size_t z_stride, std::size_t rows, const float* c, EmbeddingShape shape, float* u,
           std::size_t u_stride) {
  for (; rows > 0; z += rows_at_once * z_stride, u += rows_at_once * u_stride) {
    const std::size_t count = std::min(rows, rows_at_once);
    for (std::size_t i = 0; i < count; ++i) copy_inputs(z + i * z_stride, shape, u + i * u_stride);
    for (std::size_t first = 0; first < shape.waves(); first += lanes) {
      const Waves waves = waves_at(shape, first);
      const Vector frequency = load_some(c + waves.first, waves.count);
      HWY_ALIGN float inputs[rows_at_once * panel_width];  // all of them first: a gather waits for the stores before it
      for (std::size_t i = 0; i < count; ++i) {
        hn::Store(hn::GatherIndex(tag, z + i * z_stride, waves.input), tag, inputs + i * lanes);
      }
      float* sines = u + shape.inputs + waves.first;
      for (std::size_t i = 0; i < count; ++i, sines += u_stride) {
        const SineAndCosine both = wave(frequency, hn::Load(tag, inputs + i * lanes));
        store_some(both.sine, sines, waves.count);
        store_some(both.cosine, sines + shape.waves(), waves.count);
      }
    }
    rows -= count;
  }
}

void embed_backward(const float* u, std::size_t u_stride, const float* du, std::size_t du_stride, std::size_t rows,
                    EmbeddingShape shape, float* gradient) {
  constexpr float two_pi = 6.28318531F;
  for (std::size_t first = 0; first < shape.waves(); first += lanes) {
    const Waves waves = waves_at(shape, first);
    const std::size_t sines = shape.inputs + waves.first;
    const std::size_t cosines = sines + shape.waves();
    Vector sum = hn::Zero(tag);
    for (std::size_t i = 0; i < rows; ++i) {
      const float* row = u + i * u_stride;
      const float* slopes = du + i * du_stride;
      const Vector z = hn::GatherIndex(tag, row, waves.input);
      const Vector by_sine = hn::Mul(load_some(row + cosines, waves.count), load_some(slopes + sines, waves.count));
      const Vector by_turns =
          hn::NegMulAdd(load_some(row + sines, waves.count), load_some(slopes + cosines, waves.count), by_sine);
      sum = hn::MulAdd(z, by_turns, sum);
    }
    store_some(hn::Mul(sum, constant(two_pi)), gradient + waves.first, waves.count);
  }
}

}  // namespace credens::math::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credens::math {

HWY_EXPORT(embed);
HWY_EXPORT(embed_backward);

void embed(const float* z, std::size_t z_stride, std::size_t rows, const float* c, EmbeddingShape shape, float* u,
           std::size_t u_stride) {
  HWY_DYNAMIC_DISPATCH(embed)(z, z_stride, rows, c, shape, u, u_stride);
}

void embed_backward(const float* u, std::size_t u_stride, const float* du, std::size_t du_stride, std::size_t rows,
                    EmbeddingShape shape, float* gradient) {
  HWY_DYNAMIC_DISPATCH(embed_backward)(u, u_stride, du, du_stride, rows, shape, gradient);
}

}  // namespace credens::math
#endif
