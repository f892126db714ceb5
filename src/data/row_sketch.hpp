// SPDX-License-Identifier: Apache-2.0
//
// A small sketch of a set of rows, by which other rows are recognised as belonging to it, in any order and in part.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "data/row_source.hpp"

namespace credens::data {

/// Hash of a row's inputs and targets, from 0 to 2^53 - 1, so that every reader of JSON keeps it.
std::uint64_t row_hash(const RowBlock& block, std::size_t row);

/// The smallest hashes of the rows. Rows of any order give the same ones, and a row whose hash is not above the largest
/// of them is in the set if and only if its hash is among them.
class RowSketch {
 public:
  static constexpr std::size_t most = 256;  ///< hashes that are kept

  RowSketch() = default;
  explicit RowSketch(const std::vector<std::uint64_t>& hashes) : hashes_(hashes.begin(), hashes.end()) {}

  void add(const RowBlock& block);
  std::vector<std::uint64_t> hashes() const { return {hashes_.begin(), hashes_.end()}; }  ///< ascending

  bool is_empty() const { return hashes_.empty(); }
  bool knows_of(std::uint64_t hash) const { return hashes_.size() < most || hash <= *hashes_.rbegin(); }
  bool contains(std::uint64_t hash) const { return hashes_.contains(hash); }

 private:
  std::set<std::uint64_t> hashes_;
};

/// The share of rows, arriving in blocks, that belong to a sketched set.
class SharedRows {
 public:
  explicit SharedRows(const std::vector<std::uint64_t>& hashes) : sketch_(hashes) {}

  void add(const RowBlock& block);

  /// Found from the rows that the sketch knows of. None without a sketch, and where it knows of none of the rows.
  std::optional<double> share() const;
  std::size_t known() const { return known_; }    ///< rows that the sketch knows of
  std::size_t shared() const { return shared_; }  ///< those of them that belong to the set

 private:
  RowSketch sketch_;
  std::size_t known_ = 0;
  std::size_t shared_ = 0;
};

}  // namespace credens::data
