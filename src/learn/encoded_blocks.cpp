// SPDX-License-Identifier: Apache-2.0

#include "learn/encoded_blocks.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "data/row_checks.hpp"
#include "math/kernels.hpp"
#include "math/statistics.hpp"

namespace credens::learn {

static_assert(data::block_rows == math::statistics_block, "sums are the same however rows arrive");

namespace {

/// Rows in memory. Those of validation lie apart where one window holds all rows; blocks have them in their place.
class MemoryBlocks : public EncodedBlocks {
 public:
  explicit MemoryBlocks(const TrainingRows& rows)
      : rows_(rows), is_split_(rows.windows() == nullptr && !rows.validation_rows().empty()) {}

  bool next(bool wanted, EncodedBlock& block) override {
    const std::size_t first = next_row_;
    const std::size_t count = std::min(math::statistics_block, rows_.table().rows() - first);
    next_row_ += count;
    if (count > 0 && wanted) fill(first, count, block);
    return count > 0;
  }

 private:
  void fill(std::size_t first, std::size_t count, EncodedBlock& block) const {
    const ExactRows& exact = rows_.exact();
    const std::size_t q = rows_.train().outputs;
    block.encoded = {
        .first_row = first,
        .rows = count,
        .inputs = is_split_ ? gathered_inputs(first, count, block.input_room) : rows_.train().input_row(first),
        .stride = rows_.train().input_stride};
    if (!exact.known_variance.empty()) {
      block.encoded.known_variance = {exact.known_variance.data() + first * q, count, q};
    }
    block.targets = {exact.targets.data() + first * q, count, q};
    block.weights = exact.weights.empty() ? std::span<const double>() : std::span(exact.weights).subspan(first, count);
  }

  const float* gathered_inputs(std::size_t first, std::size_t count, base::AlignedVector<float>& room) const {
    const std::vector<std::uint32_t>& held = rows_.validation_rows();
    const std::size_t stride = rows_.train().input_stride;
    room.resize(count * stride);
    auto next = std::ranges::lower_bound(held, first);
    for (std::size_t i = 0; i < count; ++i) {
      const auto before = static_cast<std::size_t>(next - held.begin());
      const bool is_held = next != held.end() && *next == first + i;
      const float* const row =
          is_held ? rows_.validation()->input_row(before) : rows_.train().input_row(first + i - before);
      std::copy_n(row, stride, room.data() + i * stride);
      if (is_held) ++next;
    }
    return room.data();
  }

  const TrainingRows& rows_;
  bool is_split_;
  std::size_t next_row_ = 0;
};

/// Rows that a fit reads again must be those that it was prepared with.
class StoredBlocks : public EncodedBlocks {
 public:
  explicit StoredBlocks(const TrainingRows& rows)
      : table_(rows.table()), blocks_(table_.source(), rows.scaling().inputs, rows.scaling().targets) {}

  bool next(bool wanted, EncodedBlock& block) override {
    if (blocks_.next(wanted, block)) return true;
    base::require(blocks_.fingerprint() == table_.summary().fingerprint, ErrorCode::data,
                  "the rows changed while they were read");
    return false;
  }

 private:
  const TrainingTable& table_;
  SourceBlocks blocks_;
};

}  // namespace

std::unique_ptr<EncodedBlocks> blocks_of(const TrainingRows& rows) {
  if (rows.are_stored()) return std::make_unique<StoredBlocks>(rows);
  return std::make_unique<MemoryBlocks>(rows);
}

SourceBlocks::SourceBlocks(data::RowSource& source, const data::Scaler& inputs, const data::Scaler& targets)
    : source_(source),
      inputs_(inputs),
      targets_(targets),
      rows_(source.count_rows()),
      fingerprint_(source.schema(), rows_) {
  source_.rewind();
}

bool SourceBlocks::next(bool wanted, EncodedBlock& block) {
  data::RowBlock from;
  if (!source_.next(from)) return false;
  fingerprint_.add(from);
  if (wanted) encode(from, block);
  return true;
}

void SourceBlocks::encode(const data::RowBlock& from, EncodedBlock& to) const {
  const std::size_t stride = math::padded(inputs_.cols());
  to.input_room.resize(from.rows() * stride);
  model::encode_inputs(inputs_, from.inputs, to.input_room.data(), stride, from.first_row);
  data::check_noise(from.noise_std, targets_.scale, [&](std::size_t row, std::size_t column) {
    return fmt::format("noise_std: row {}, column {}", from.first_row + row, column);
  });
  model::fill_known_variance(targets_, from.noise_std, to.variance_room);
  to.encoded = {.first_row = from.first_row,
                .rows = from.rows(),
                .inputs = to.input_room.data(),
                .stride = stride,
                .known_variance = to.variance_room};
  to.target_room = data::scaled(targets_, from.targets);
  to.targets = to.target_room;
  to.weight_room.assign(from.weights.begin(), from.weights.end());
  to.weights = to.weight_room;
}

}  // namespace credens::learn
