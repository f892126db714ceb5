// SPDX-License-Identifier: Apache-2.0

#include "data/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory");

namespace {

class ContentHash {
 public:
  ContentHash() { XXH3_128bits_reset(&state_); }

  void start_section(std::string_view tag, std::span<const std::string> names, std::size_t rows, std::size_t cols) {
    add(tag);
    add(names.size());
    for (const std::string& name : names) add(std::string_view(name));
    add(rows);
    add(cols);
  }

  void add_rows(MatrixView values) {
    for (std::size_t row = 0; row < values.rows(); ++row) add(values.row(row));
  }

  void add_section(std::string_view tag, std::span<const std::string> names, MatrixView values) {
    start_section(tag, names, values.rows(), values.cols());
    add_rows(values);
  }

  std::string digits() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(&state_);
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  void add(std::string_view text) {
    add(text.size());
    XXH3_128bits_update(&state_, text.data(), text.size());
  }

  void add(std::uint64_t number) { XXH3_128bits_update(&state_, &number, sizeof number); }

  void add(std::span<const double> values) {
    row_.resize(values.size());
    std::ranges::transform(values, row_.begin(), [](double value) { return value + 0.0; });  // -0 + 0 is 0
    XXH3_128bits_update(&state_, row_.data(), row_.size() * sizeof(double));
  }

  XXH3_state_t state_;
  std::vector<double> row_;
};

}  // namespace

std::string fingerprint(const Dataset& dataset) {
  const std::span<const double> weights = dataset.weights();
  ContentHash hash;
  hash.add_section("inputs", dataset.input_names(), dataset.inputs());
  hash.add_section("targets", dataset.target_names(), dataset.targets());
  hash.add_section("weights", {}, MatrixView(weights.data(), weights.size(), weights.empty() ? 0 : 1));
  hash.add_section("noise", {}, dataset.noise_std());
  return hash.digits();
}

struct RowFingerprint::Impl {
  ContentHash hash;
  std::size_t rows;
  std::vector<std::string> target_names;
  std::vector<double> targets;
  std::vector<double> weights;
  std::vector<double> noise;
};

namespace {

void append(std::vector<double>& values, MatrixView rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    values.insert(values.end(), rows.row(row).begin(), rows.row(row).end());
  }
}

MatrixView as_matrix(const std::vector<double>& values, std::size_t rows) {
  return values.empty() ? MatrixView() : MatrixView(values.data(), rows, values.size() / rows);
}

}  // namespace

RowFingerprint::RowFingerprint(const DatasetParts& layout, std::size_t rows)
    : impl_(std::make_unique<Impl>(Impl{.hash = {}, .rows = rows, .target_names = layout.target_names})) {
  impl_->hash.start_section("inputs", layout.input_names, rows, layout.inputs.cols());
}

RowFingerprint::~RowFingerprint() = default;

void RowFingerprint::add(const RowBlock& block) {
  impl_->hash.add_rows(block.inputs);
  append(impl_->targets, block.targets);
  impl_->weights.insert(impl_->weights.end(), block.weights.begin(), block.weights.end());
  append(impl_->noise, block.noise_std);
}

std::string RowFingerprint::digits() const {
  ContentHash hash = impl_->hash;
  hash.add_section("targets", impl_->target_names, as_matrix(impl_->targets, impl_->rows));
  hash.add_section("weights", {}, as_matrix(impl_->weights, impl_->rows));
  hash.add_section("noise", {}, as_matrix(impl_->noise, impl_->rows));
  return hash.digits();
}

}  // namespace credens::data
