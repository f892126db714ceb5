// SPDX-License-Identifier: Apache-2.0

#include "data/row_sketch.hpp"

#include <array>

#include "base/bytes.hpp"
#include "base/content_hash.hpp"

namespace credens::data {

namespace {

/// Chained over pieces, so that rows of any width need no memory.
std::uint64_t hash_values(std::span<const double> values, std::uint64_t seed) {
  std::array<double, 64> piece;
  for (std::size_t first = 0; first < values.size(); first += piece.size()) {
    const std::size_t count = std::min(piece.size(), values.size() - first);
    for (std::size_t i = 0; i < count; ++i) piece[i] = values[first + i] + 0.0;  // -0 + 0 is 0
    seed = base::hash_of(base::bytes_of(std::span<const double>(piece).first(count)), seed);
  }
  return seed;
}

}  // namespace

std::uint64_t row_hash(const RowBlock& block, std::size_t row) {
  constexpr int dropped_bits = 11;
  return hash_values(block.targets.row(row), hash_values(block.inputs.row(row), 0)) >> dropped_bits;
}

void RowSketch::add(const RowBlock& block) {
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const std::uint64_t hash = row_hash(block, row);
    if (!knows_of(hash)) continue;
    hashes_.insert(hash);
    if (hashes_.size() > most) hashes_.erase(std::prev(hashes_.end()));
  }
}

void SharedRows::add(const RowBlock& block) {
  if (sketch_.is_empty()) return;
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const std::uint64_t hash = row_hash(block, row);
    known_ += sketch_.knows_of(hash) ? 1 : 0;
    shared_ += sketch_.contains(hash) ? 1 : 0;
  }
}

std::optional<double> SharedRows::share() const {
  if (known_ == 0) return std::nullopt;
  return static_cast<double>(shared_) / static_cast<double>(known_);
}

}  // namespace credens::data
