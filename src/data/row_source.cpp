// SPDX-License-Identifier: Apache-2.0

#include "data/row_source.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>

#include "base/check.hpp"
#include "data/classes.hpp"
#include "data/kinds.hpp"
#include "data/npy_reader.hpp"
#include "data/row_checks.hpp"

namespace credens::data {

namespace {

/// Faults of rows before `end`.
ColumnFaults faults_before(std::size_t end, const ColumnFaults& faults) {
  const auto is_before = [&](const auto& fault) { return fault && fault->row < end; };
  if (std::none_of(faults.begin(), faults.end(), is_before)) return {};
  ColumnFaults before(faults.size());
  for (std::size_t col = 0; col < faults.size(); ++col) {
    if (is_before(faults[col])) before[col] = faults[col];
  }
  return before;
}

void take_column(const Table& table, std::size_t column, std::vector<double>& values) {
  values.resize(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) values[row] = table.values(row, column);
}

void take_weights(const Table& table, std::size_t column, std::vector<double>& weights) {
  take_column(table, column, weights);
  check_weights(weights, [&](std::size_t row) { return place_of(table, row, column) + ": the weight"; });
}

/// [N x q]; one column serves all targets.
void take_noise(const Table& table, const Schema& schema, std::span<const double> target_scale, Matrix& noise) {
  const auto column_of = [&](std::size_t k) { return *schema.noise[schema.noise.size() == 1 ? 0 : k].position; };
  noise.resize(table.rows(), schema.targets.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t k = 0; k < noise.cols(); ++k) noise(row, k) = table.values(row, column_of(k));
  }
  check_noise(noise, target_scale,
              [&](std::size_t row, std::size_t k) { return place_of(table, row, column_of(k)) + ": the noise"; });
}

void take_counts(const Table& table, const Schema& schema, DatasetParts& parts) {
  if (parts.targets.cols() == 0) return;
  if (!schema.weight) parts.weights.assign(table.rows(), 1);
  counts_to_shares(parts.targets, parts.weights, [&](std::size_t row, std::size_t column) {
    return place_of(table, row, *schema.targets[column].position);
  });
}

/// The columns of `schema`, whose positions are those of `table`: targets where they have positions, weights and noise
/// where there are some. Bad values throw data; `target_scale` as that of check_noise.
void take_rows(const Table& table, const Schema& schema, std::span<const double> target_scale, DatasetParts& parts) {
  check_cells(table, schema);
  take_columns(table, positions_of(schema.inputs), parts.inputs);
  take_columns(table, positions_of(schema.targets), parts.targets);
  if (schema.weight) take_weights(table, *schema.weight->position, parts.weights);
  if (schema.has_counts()) take_counts(table, schema, parts);
  if (schema.has_noise) take_noise(table, schema, target_scale, parts.noise_std);
  if (schema.group) take_column(table, *schema.group->position, parts.groups);
  if (schema.time) take_column(table, *schema.time->position, parts.times);
}

RowBlock block_of(const Table& table, const DatasetParts& rows) {
  return {.first_row = table.first_row,
          .inputs = rows.inputs,
          .targets = rows.targets,
          .weights = rows.weights,
          .noise_std = rows.noise_std,
          .groups = rows.groups,
          .times = rows.times,
          .table = &table};
}

void check_same(bool is_same, const std::string& source) {
  base::require(is_same, ErrorCode::data, "{} changed while it was read", source);
}

/// Rows at any place of an .npy file.
class NpyRows {
 public:
  NpyRows(const std::filesystem::path& path, const Schema& schema, const Table& table, RowTranslation translation)
      : array_(path, NpyRest::another_array), schema_(schema), translation_(std::move(translation)) {
    table_.source = table.source;
    check_same(array_.cols() == table.cols(), table.source);
  }

  RowBlock read(std::size_t first, std::size_t count) {
    check_same(first + count <= array_.rows(), table_.source);
    array_.read(0, first, count, table_.values);
    if (translation_) translation_(table_.values.values());
    table_.first_row = first;
    take_rows(table_, schema_, {}, rows_);
    return block_of(table_, rows_);
  }

 private:
  NpySlices array_;
  const Schema& schema_;
  RowTranslation translation_;
  Table table_;
  DatasetParts rows_;
};

/// Archives begin otherwise.
bool is_plain_npy(const std::filesystem::path& path) {
  std::error_code ignored;
  if (path == "-" || !std::filesystem::is_regular_file(path, ignored)) return false;
  std::array<char, 6> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return is_npy({start.data(), static_cast<std::size_t>(file.gcount())});
}

/// Tells a file from another that took its name.
std::uint64_t file_number(const std::filesystem::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

/// The columns but for those at these places, which ascend.
std::vector<Column> others_of(const std::vector<Column>& columns, std::span<const std::size_t> places) {
  std::vector<Column> others;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!std::ranges::binary_search(places, i)) others.push_back(columns[i]);
  }
  return others;
}

class FileRows : public RowSource {
 public:
  FileRows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions, Schema schema,
           std::vector<double> target_scale, Passes passes)
      : path_(path),
        number_(file_number(path)),
        portions_(std::move(portions)),
        schema_(std::move(schema)),
        target_scale_(std::move(target_scale)),
        fewest_rows_(passes == Passes::many ? block_rows : 1),
        table_(portions_->header()) {}

  const Schema& schema() const override { return schema_; }
  RowRanges ranges() const override {
    const Table& header = portions_->header();
    if (header.first_line != 0 || !is_plain_npy(path_)) return {};
    check_same(file_number(path_) == number_, header.source);
    const auto rows = std::make_shared<NpyRows>(path_, schema_, header, portions_->translation());
    return [rows](std::size_t first, std::size_t count) { return rows->read(first, count); };
  }

  std::vector<std::string> warnings() const override { return portions_->header().warnings; }

  std::size_t count_rows() override {
    if (!counted_) counted_ = portions_->count_rows();
    return *counted_;
  }

  bool next(RowBlock& block) override {
    const bool is_last = !next_table();
    check_count(is_last);
    if (is_last) {
      free_buffers();
      take_levels();
      if (schema_.weight) check_weight_total(weight_total_, table_.source);
      return false;
    }
    take_rows(table_, schema_, target_scale_, rows_);
    for (const double weight : rows_.weights) weight_total_ += weight;
    block = block_of(table_, rows_);
    block.file = portions_.get();
    return true;
  }

  void rewind() override {
    portions_->rewind();
    waiting_.clear();
    taken_ = 0;
    next_row_ = 0;
    weight_total_ = 0;
  }

  void leave_out(std::span<const std::size_t> inputs) override {
    schema_.inputs = others_of(schema_.inputs, inputs);
    portions_->read_as(readings_of(schema_, table_.cols(), true));
    rewind();
  }

 private:
  std::size_t waiting_rows() const { return waiting_.size() / table_.cols() - taken_; }

  void read_ahead() {
    if (waiting_rows() >= fewest_rows_) return;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(taken_ * table_.cols()));
    taken_ = 0;
    if (waiting_.empty()) portions_->forget_words();
    while (waiting_rows() < fewest_rows_ && portions_->append(waiting_)) {
    }
  }

  /// The next rows, as a table that knows its place in the file. Its faults are the first of each column up to here.
  bool next_table() {
    read_ahead();
    const std::size_t count = std::min(block_rows, waiting_rows());
    if (count == 0) return false;
    const std::size_t cols = table_.cols();
    table_.values.resize(count, cols);
    std::copy_n(waiting_.data() + taken_ * cols, count * cols, table_.values.data());
    table_.first_row = next_row_;
    taken_ += count;
    next_row_ += count;
    table_.faults = faults_before(next_row_, portions_->faults());
    table_.missing = faults_before(next_row_, portions_->missing());
    return true;
  }

  /// A fit keeps its source for long after the last row.
  void free_buffers() {
    waiting_ = {};
    taken_ = 0;
    table_.values = Matrix(0, table_.cols());
    rows_ = {};
  }

  /// All words of a training table are known after its last row, and whether its times have zones.
  void take_levels() {
    const auto take = [&](Column& column) {
      if (!column.position) return;
      if (column.kind == ColumnKind::category) column.levels = portions_->levels(*column.position);
      if (column.kind == ColumnKind::date && !column.has_zone) column.has_zone = portions_->has_zone(*column.position);
    };
    std::ranges::for_each(schema_.inputs, take);
    std::ranges::for_each(schema_.targets, take);
  }

  /// Whoever counts rows makes room for so many: a file that was written to meanwhile would leave some of it empty, or
  /// need more.
  void check_count(bool is_last) const {
    if (!counted_) return;
    base::require(is_last ? next_row_ == *counted_ : next_row_ <= *counted_, ErrorCode::data,
                  "{}: the number of rows changed while they were read", table_.source);
  }

  std::filesystem::path path_;
  std::uint64_t number_;  ///< of the file
  std::unique_ptr<RowPortions> portions_;
  Schema schema_;
  std::vector<double> target_scale_;
  std::size_t fewest_rows_;  ///< of a block, but for the last

  std::vector<double> waiting_;  ///< values that were read; the first `taken_` rows have been given away
  std::size_t taken_ = 0;
  std::size_t next_row_ = 0;
  std::optional<std::size_t> counted_;  ///< rows, once somebody asked
  Table table_;                         ///< the block
  DatasetParts rows_;                   ///< its parts
  double weight_total_ = 0;
};

RowBlock block_of(const Dataset& dataset, std::size_t first, std::size_t count) {
  RowBlock block{.first_row = first,
                 .inputs = dataset.inputs().row_block(first, count),
                 .targets = dataset.targets().row_block(first, count)};
  if (!dataset.weights().empty()) block.weights = dataset.weights().subspan(first, count);
  if (!dataset.noise_std().empty()) block.noise_std = dataset.noise_std().row_block(first, count);
  if (!dataset.groups().empty()) block.groups = dataset.groups().subspan(first, count);
  if (!dataset.times().empty()) block.times = dataset.times().subspan(first, count);
  return block;
}

class DatasetRows : public RowSource {
 public:
  explicit DatasetRows(const Dataset& dataset) : dataset_(dataset) {}

  const Schema& schema() const override { return some_ ? *some_ : dataset_.schema(); }
  std::size_t count_rows() override { return dataset_.rows(); }
  void rewind() override { next_row_ = 0; }
  RowRanges ranges() const override {
    return [this, room = std::make_shared<Matrix>()](std::size_t first, std::size_t count) {
      return block_at(first, count, *room);
    };
  }

  bool next(RowBlock& block) override {
    const std::size_t count = std::min(block_rows, dataset_.rows() - next_row_);
    if (count == 0) return false;
    block = block_at(next_row_, count, room_);
    next_row_ += count;
    return true;
  }

  void leave_out(std::span<const std::size_t> inputs) override {
    Schema some = schema();
    some.inputs = others_of(some.inputs, inputs);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < schema().inputs.size(); ++i) {
      if (!std::ranges::binary_search(inputs, i)) kept.push_back(some_ ? kept_[i] : i);
    }
    some_ = std::move(some);
    kept_ = std::move(kept);
    rewind();
  }

 private:
  /// `room` holds the inputs where not all are wanted.
  RowBlock block_at(std::size_t first, std::size_t count, Matrix& room) const {
    RowBlock block = block_of(dataset_, first, count);
    if (!some_) return block;
    room.resize(count, kept_.size());
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < kept_.size(); ++i) room(row, i) = block.inputs(row, kept_[i]);
    }
    block.inputs = room;
    return block;
  }

  const Dataset& dataset_;
  std::size_t next_row_ = 0;
  std::optional<Schema> some_;     ///< once inputs were left out
  std::vector<std::size_t> kept_;  ///< inputs of the dataset that are those of `some_`
  Matrix room_;
};

void copy_rows(MatrixView block, std::size_t first, Matrix& all) {
  for (std::size_t row = 0; row < block.rows(); ++row) std::ranges::copy(block.row(row), all.row(first + row).begin());
}

}  // namespace

RowBlock part_of(const RowBlock& block, std::size_t first, std::size_t count) {
  RowBlock part{.first_row = block.first_row + first,
                .inputs = block.inputs.row_block(first, count),
                .targets = block.targets.row_block(first, count)};
  if (!block.weights.empty()) part.weights = block.weights.subspan(first, count);
  if (!block.noise_std.empty()) part.noise_std = block.noise_std.row_block(first, count);
  return part;
}

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, const DatasetOptions& options, FileKind kind) {
  return open_rows(path, open_table(path, options.format, kind), options);
}

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                     const DatasetOptions& options) {
  Schema schema = make_schema(portions->header(), options);
  set_kinds(*portions, options, schema);
  portions->read_as(readings_of(schema, portions->header().cols(), false));
  return open_rows(path, std::move(portions), std::move(schema));
}

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                     Schema schema, std::vector<double> target_scale, Passes passes) {
  return std::make_unique<FileRows>(path, std::move(portions), std::move(schema), std::move(target_scale), passes);
}

std::unique_ptr<RowSource> rows_of(const Dataset& dataset) {
  return std::make_unique<DatasetRows>(dataset);
}

Dataset read_dataset(RowSource& source) {
  const std::size_t rows = source.count_rows();
  const Schema& schema = source.schema();
  DatasetParts parts{.inputs = Matrix(rows, schema.inputs.size()), .targets = Matrix(rows, schema.targets.size())};
  if (schema.has_noise) parts.noise_std = Matrix(rows, schema.targets.size());
  for (RowBlock block; source.next(block);) {
    copy_rows(block.inputs, block.first_row, parts.inputs);
    copy_rows(block.targets, block.first_row, parts.targets);
    copy_rows(block.noise_std, block.first_row, parts.noise_std);
    parts.weights.insert(parts.weights.end(), block.weights.begin(), block.weights.end());
    parts.groups.insert(parts.groups.end(), block.groups.begin(), block.groups.end());
    parts.times.insert(parts.times.end(), block.times.begin(), block.times.end());
  }
  return {std::move(parts), schema};
}

Dataset make_dataset(Table table, const DatasetOptions& options) {
  Schema schema = make_schema(table, options);
  set_kinds(options, table, schema);
  DatasetParts parts;
  take_rows(table, schema, {}, parts);
  if (schema.weight) {
    check_weight_total(std::accumulate(parts.weights.begin(), parts.weights.end(), 0.0), table.source);
  }
  return {std::move(parts), schema};
}

}  // namespace credens::data
