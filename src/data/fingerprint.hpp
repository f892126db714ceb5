// SPDX-License-Identifier: Apache-2.0
//
// A digest of parsed content. The stream of bytes it is taken over never changes, since model files and checkpoints
// keep the digest.

#pragma once

#include <memory>
#include <string>

#include "base/content_hash.hpp"
#include "data/row_source.hpp"

namespace credens::data {

/// The fingerprint that Dataset::fingerprint gives, from blocks of rows in order: XXH3-128 (seed 0), as 32 hexadecimal
/// digits with the most significant first, over four sections: "inputs", "targets", "weights", "noise". A section is
///
///     size of its tag, tag, number of names, (size of name, name) for each name, rows, cols, values
///
/// with sizes and numbers as little-endian 64-bit integers, texts as their bytes in UTF-8 and values row by row as
/// little-endian doubles, -0 as 0. Weights and noise have no names: their role is what matters. Absent parts have 0
/// rows and 0 columns; weights are one column.
///
/// All inputs come before the first target, so targets, weights and noise wait until the end, in a temporary file where
/// they are many.
class RowFingerprint {
 public:
  RowFingerprint(const Schema& schema, std::size_t rows);  ///< `rows`: as many as all blocks together have
  ~RowFingerprint();
  void add(const RowBlock& block);
  std::string digits() const;  ///< after the last block

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Tells one pass over rows from another: all values of a block as they come, and so nothing waits.
class RowDigest {
 public:
  void add(const RowBlock& block);
  std::string digits() const { return hash_.digits(); }

 private:
  base::ContentHash hash_;
};

}  // namespace credens::data
