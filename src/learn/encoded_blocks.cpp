// SPDX-License-Identifier: Apache-2.0

#include "learn/encoded_blocks.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "data/complete_rows.hpp"
#include "data/row_summary.hpp"
#include "math/kernels.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

static_assert(data::block_rows == math::statistics_block, "sums are the same however rows arrive");

namespace {

/// Validation rows lie apart where one window holds all rows; blocks have them in their place.
const float* inputs_at(const TrainingRows& rows, std::size_t first, std::size_t count,
                       base::AlignedVector<float>& room) {
  const std::vector<std::uint32_t>& held = rows.validation_rows();
  if (rows.windows() != nullptr || held.empty()) return rows.train().input_row(first);
  const std::size_t stride = rows.train().input_stride;
  room.resize(count * stride);
  auto next = std::ranges::lower_bound(held, first);
  for (std::size_t i = 0; i < count; ++i) {
    const auto before = static_cast<std::size_t>(next - held.begin());
    const bool is_held = next != held.end() && *next == first + i;
    const float* const row =
        is_held ? rows.validation()->input_row(before) : rows.train().input_row(first + i - before);
    std::copy_n(row, stride, room.data() + i * stride);
    if (is_held) ++next;
  }
  return room.data();
}

/// Views of the rows [first, first + count) of `exact`, which has q columns of targets.
void show(const ExactRows& exact, std::size_t first, std::size_t count, std::size_t q, EncodedBlock& block) {
  block.encoded.known_variance =
      exact.known_variance.empty() ? MatrixView() : MatrixView(exact.known_variance.data() + first * q, count, q);
  block.targets = {exact.targets.data() + first * q, count, q};
  block.weights = exact.weights.empty() ? std::span<const double>() : std::span(exact.weights).subspan(first, count);
}

}  // namespace

NextBlock blocks_of(const TrainingRows& rows) {
  if (rows.are_stored()) {
    const auto blocks =
        std::make_shared<SourceBlocks>(rows.table().source(), rows.scaling(), rows.table().summary().fingerprint);
    return [blocks](bool wanted, EncodedBlock& block) { return blocks->next(wanted, block); };
  }
  return [&rows, next_row = std::size_t{0}](bool wanted, EncodedBlock& block) mutable {
    const std::size_t first = next_row;
    const std::size_t count = std::min(math::statistics_block, rows.table().rows() - first);
    next_row += count;
    if (count == 0 || !wanted) return count > 0;
    block.encoded = {.first_row = first,
                     .rows = count,
                     .inputs = inputs_at(rows, first, count, block.input_room),
                     .stride = rows.train().input_stride,
                     .has_missing = rows.train().has_missing};
    show(rows.exact(), first, count, rows.train().target_columns, block);
    return true;
  };
}

SourceBlocks::SourceBlocks(data::RowSource& source, Scaling scaling, std::string expected)
    : source_(source),
      scaling_(std::move(scaling)),
      rows_(source.count_rows()),
      fingerprint_(source.schema(), rows_),
      expected_(std::move(expected)) {
  source_.rewind();
}

bool SourceBlocks::next(bool wanted, EncodedBlock& block) {
  data::RowBlock from;
  if (!source_.next(from)) {
    base::require(expected_.empty() || fingerprint() == expected_, ErrorCode::data,
                  "the rows changed while they were read");
    return false;
  }
  fingerprint_.add(from);
  if (wanted) encode(from, block);
  return true;
}

void SourceBlocks::encode(const data::RowBlock& from, EncodedBlock& to) const {
  const data::Encoder& inputs = scaling_.inputs;
  const std::size_t stride = math::padded(inputs.width());
  to.input_room.resize(from.rows() * stride);
  const bool has_missing = model::encode_inputs(inputs, from.inputs, to.input_room.data(), stride, from.first_row);
  to.encoded = {.first_row = from.first_row,
                .rows = from.rows(),
                .inputs = to.input_room.data(),
                .stride = stride,
                .has_missing = has_missing};
  to.exact_room = {};
  std::vector<double> room;
  append(from, scaling_, !data::effective_weights(from, room).empty(), to.exact_room);
  show(to.exact_room, 0, from.rows(), scaling_.targets.cols(), to);
}

}  // namespace credens::learn
