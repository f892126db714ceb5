// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 4,096 rows in network units, in the order of the table: what widening sums and summaries look at.

#pragma once

#include <credens/matrix.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "data/fingerprint.hpp"
#include "data/row_source.hpp"
#include "learn/training_rows.hpp"
#include "model/member_source.hpp"

namespace credens::learn {

/// Views of rows that are held elsewhere, or in the block's own room.
struct EncodedBlock {
  model::EncodedRows encoded = {};
  MatrixView targets = {};               ///< [n x q]
  std::span<const double> weights = {};  ///< n as given, or none

  base::AlignedVector<float> input_room = {};
  ExactRows exact_room = {};
};

/// Goes on to the next block, and fills it where it is wanted. False: there are no more.
using NextBlock = std::function<bool(bool wanted, EncodedBlock& block)>;

/// The blocks of a fit: from memory, or read again where rows are stored.
NextBlock blocks_of(const TrainingRows& rows);

/// Blocks of a source, encoded as a model encodes them. Throws data for rows that do not fit the model.
class SourceBlocks {
 public:
  /// The source must live as long, and is read from its first row on. Throws data where the rows do not have the
  /// fingerprint that is `expected`, if one is.
  SourceBlocks(data::RowSource& source, Scaling scaling, std::string expected = {});

  bool next(bool wanted, EncodedBlock& block);

  /// Fingerprint of the rows, after the last block.
  std::string fingerprint() const { return fingerprint_.digits(); }
  std::size_t rows() const { return rows_; }

 private:
  void encode(const data::RowBlock& from, EncodedBlock& to) const;

  data::RowSource& source_;
  Scaling scaling_;
  std::size_t rows_;
  data::RowFingerprint fingerprint_;
  std::string expected_;
};

}  // namespace credens::learn
