// SPDX-License-Identifier: Apache-2.0

#include "learn/training_table.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "data/looks.hpp"
#include "learn/slips.hpp"
#include "math/kernels.hpp"

namespace credens::learn {

std::uint64_t memory_for_rows(MemorySize given) {
  return given.bytes > 0 ? given.bytes : base::process_memory() / 2;
}

int windows_at_once(const FitOptions& options, std::size_t window_bytes) {
  const std::uint64_t windows = std::max<std::uint64_t>(memory_for_rows(options.memory) / window_bytes, 1);
  return static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(base::thread_count(options.threads)), windows));
}

namespace {

std::size_t parts_of(std::size_t count, std::size_t part) {
  return (count + part - 1) / part;
}

}  // namespace

Windows::Windows(std::size_t rows, std::size_t row_bytes, const WindowSize& size)
    : rows_(rows),
      block_rows_(std::max<std::size_t>(size.block / row_bytes, 1)),
      blocks_(parts_of(rows, block_rows_)),
      windows_(1) {
  const std::size_t window_rows = size.window / row_bytes;
  if (rows > window_rows) windows_ = parts_of(blocks_, std::max<std::size_t>(window_rows / block_rows_, 1));
}

RowRange Windows::rows_of(std::size_t block) const {
  const std::size_t first = block * block_rows_;
  return {.first = first, .count = std::min(block_rows_, rows_ - first)};
}

RowRange Windows::blocks_of(std::size_t window) const {
  const std::size_t first = window * blocks_ / windows_;
  return {.first = first, .count = (window + 1) * blocks_ / windows_ - first};
}

std::size_t Windows::largest() const {
  return std::min(rows_, parts_of(blocks_, windows_) * block_rows_);
}

namespace {

/// The class of each row, 0 for rows without; none for counts and where there are no keys.
std::vector<std::uint32_t> class_of_rows(const data::RowKeys& keys, const data::Classes& classes) {
  std::vector<std::uint32_t> numbers;
  if (classes.count() == 0 || keys.targets.size() != keys.inputs.size()) return numbers;
  for (const double target : keys.targets) numbers.push_back(classes.class_of(target).value_or(0));
  return numbers;
}

}  // namespace

TrainingTable::TrainingTable(std::unique_ptr<data::RowSource> source, const WindowSize& window,
                             const LeavesOut& leaves_out)
    : window_(window),
      source_(std::move(source)),
      summary_(summarise(leaves_out.inputs)),
      classes_(data::classes_of_rows(schema(), summary_.classes.rows_of_value())),
      encodings_(data::encodings_of(schema(), summary_)),
      fold_units_(make_fold_units(windows().is_one() ? summary_.keys : data::RowKeys(), summary_.rows)) {
  if (windows().is_one()) fold_units_.strata = class_of_rows(summary_.keys, classes_);
  if (leaves_out.slips && windows().is_one() && !schema().is_classification()) slips_ = find_slips(summary_);
  if (!slips_.empty()) summary_.targets = moments_without(summary_.keys, outputs(), slips_);
  summary_.keys = {};
  base::release_free_memory();
}

/// Copies among the rows, their scales and their fingerprint are those of the inputs that are left, so they are read
/// again.
data::RowSummary TrainingTable::summarise(bool leaves_out_inputs) {
  const auto read = [&] { return data::summarise(*source_, true, window_.window / plain_row_bytes()); };
  data::RowSummary summary = read();
  const std::vector<std::size_t> without =
      leaves_out_inputs ? data::unlearnable_inputs(schema(), summary) : std::vector<std::size_t>();
  if (without.empty()) return summary;
  const std::vector<std::string> labels = data::labels_of(schema().inputs);
  for (const std::size_t input : without) {
    left_out_inputs_.push_back(
        fmt::format("{} is left out: it holds {}, none in 5 rows or more, of which nothing can be learned; "
                    "--categories would keep it",
                    labels[input], data::count_of(schema().inputs[input].levels.size(), "word")));
    const std::string look = data::look_of(schema().inputs[input].levels);
    if (!look.empty()) left_out_inputs_.back() += "; they " + look;
  }
  base::require(without.size() < inputs(), ErrorCode::data, "no input is left: {}", left_out_inputs_.front());
  source_->leave_out(without);
  return read();
}

/// That of a table of numbers: words, dates and missing cells may make rows longer, not shorter.
std::size_t TrainingTable::plain_row_bytes() const {
  const std::size_t weights = schema().weight.has_value() ? 1 : 0;
  return sizeof(float) * (math::padded(inputs()) + target_columns() * (has_noise() ? 2 : 1) + weights);
}

std::size_t TrainingTable::numbers() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      schema().inputs, [](const data::Column& input) { return input.kind != ColumnKind::category; }));
}

std::size_t TrainingTable::row_bytes() const {
  const data::Encoder encoder(data::identity_scaler(inputs()), encodings_);
  return sizeof(float) *
         (math::padded(encoder.width()) + target_columns() * (has_noise() ? 2 : 1) + (has_weights() ? 1 : 0));
}

std::vector<std::size_t> TrainingTable::inputs_without_numbers() const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < inputs(); ++i) {
    if (schema().inputs[i].kind != ColumnKind::number) found.push_back(i);
  }
  return found;
}

Scaling TrainingTable::scaling(bool standardise_inputs, bool asinh_inputs) const {
  const std::vector<std::string> labels = data::labels_of(schema().inputs);
  Scaling scaling{.inputs = data::Encoder(data::identity_scaler(inputs()), encodings_),
                  .targets = schema().is_classification() ? data::identity_scaler(target_columns())
                                                          : summary_.targets.scaler(data::labels_of(schema().targets)),
                  .classes = classes_};
  if (!standardise_inputs) return scaling;
  const std::vector<std::size_t> not_numbers = inputs_without_numbers();
  data::Scaler& scaler = scaling.inputs.scaler;
  scaler = asinh_inputs ? data::asinh_scaler(summary_.sample, summary_.inputs, labels, not_numbers)
                        : summary_.inputs.scaler(labels);
  for (const std::size_t i : not_numbers) {
    if (schema().inputs[i].kind != ColumnKind::category) continue;
    scaler.shift[i] = 0;
    scaler.scale[i] = 1;
  }
  return scaling;
}

}  // namespace credens::learn
