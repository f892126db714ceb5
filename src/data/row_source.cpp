// SPDX-License-Identifier: Apache-2.0

#include "data/row_source.hpp"

#include <algorithm>

#include "data/column_roles.hpp"
#include "data/make_dataset.hpp"
#include "data/npy_rows.hpp"
#include "data/table_reader.hpp"

namespace credens::data {

namespace {

class FileRows : public RowSource {
 public:
  FileRows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions, const DatasetOptions& options)
      : path_(path),
        number_(file_number(path)),
        reader_(std::move(portions)),
        columns_(assign_columns(reader_.header(), options)),
        layout_(layout_of(reader_.header(), columns_)) {
    if (!columns_.noise.empty()) layout_.noise_std = Matrix(0, columns_.targets.size());
  }

  const DatasetParts& layout() const override { return layout_; }
  bool has_weights() const override { return !columns_.weight.empty(); }
  std::size_t count_rows() override { return reader_.count_rows(); }
  std::unique_ptr<RowRanges> ranges() const override {
    return open_npy_rows(path_, columns_, reader_.header(), number_);
  }

  bool next(RowBlock& block) override {
    if (!reader_.next(table_)) {
      if (has_weights()) check_weight_total(weight_total_, table_.source);
      return false;
    }
    take_rows(table_, columns_, rows_);
    for (const double weight : rows_.weights) weight_total_ += weight;
    block = {.first_row = table_.first_row,
             .inputs = rows_.inputs,
             .targets = rows_.targets,
             .weights = rows_.weights,
             .noise_std = rows_.noise_std};
    return true;
  }

  void rewind() override {
    reader_.rewind();
    weight_total_ = 0;
  }

 private:
  std::filesystem::path path_;
  std::uint64_t number_;  ///< of the file
  TableReader reader_;
  ColumnRoles columns_;
  DatasetParts layout_;
  Table table_;        ///< the block
  DatasetParts rows_;  ///< its parts
  double weight_total_ = 0;
};

RowBlock block_of(const Dataset& dataset, std::size_t first, std::size_t count) {
  RowBlock block{.first_row = first,
                 .inputs = dataset.inputs().row_block(first, count),
                 .targets = dataset.targets().row_block(first, count)};
  if (!dataset.weights().empty()) block.weights = dataset.weights().subspan(first, count);
  if (!dataset.noise_std().empty()) block.noise_std = dataset.noise_std().row_block(first, count);
  return block;
}

class DatasetRanges : public RowRanges {
 public:
  explicit DatasetRanges(const Dataset& dataset) : dataset_(dataset) {}

  RowBlock read(std::size_t first, std::size_t count) override { return block_of(dataset_, first, count); }

 private:
  const Dataset& dataset_;
};

class DatasetRows : public RowSource {
 public:
  explicit DatasetRows(const Dataset& dataset) : dataset_(dataset) {
    layout_ = {.inputs = Matrix(0, dataset.inputs().cols()),
               .targets = Matrix(0, dataset.targets().cols()),
               .weights = {},
               .noise_std = Matrix(0, dataset.noise_std().cols()),
               .input_names = dataset.input_names(),
               .target_names = dataset.target_names(),
               .weight_name = dataset.weight_name(),
               .noise_names = dataset.noise_names(),
               .input_columns = dataset.input_columns(),
               .table_columns = dataset.table_columns(),
               .target_columns = dataset.target_columns()};
  }

  const DatasetParts& layout() const override { return layout_; }
  bool has_weights() const override { return !dataset_.weights().empty(); }
  std::size_t count_rows() override { return dataset_.rows(); }
  void rewind() override { next_row_ = 0; }
  std::unique_ptr<RowRanges> ranges() const override { return std::make_unique<DatasetRanges>(dataset_); }

  bool next(RowBlock& block) override {
    const std::size_t count = std::min(block_rows, dataset_.rows() - next_row_);
    if (count == 0) return false;
    block = block_of(dataset_, next_row_, count);
    next_row_ += count;
    return true;
  }

 private:
  const Dataset& dataset_;
  DatasetParts layout_;
  std::size_t next_row_ = 0;
};

/// A matrix that gets its rows block by block.
class GrowingMatrix {
 public:
  GrowingMatrix(std::size_t rows, std::size_t cols) : cols_(cols) { values_.reserve(rows * cols); }

  void append(MatrixView rows) {
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      values_.insert(values_.end(), rows.row(row).begin(), rows.row(row).end());
    }
  }

  Matrix finish() && {
    const std::size_t rows = cols_ == 0 ? 0 : values_.size() / cols_;
    return {rows, cols_, std::move(values_)};
  }

 private:
  std::size_t cols_;
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, const DatasetOptions& options, FileKind kind) {
  return open_rows(path, open_table(path, options.format, kind), options);
}

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& path, std::unique_ptr<RowPortions> portions,
                                     const DatasetOptions& options) {
  return std::make_unique<FileRows>(path, std::move(portions), options);
}

std::unique_ptr<RowSource> rows_of(const Dataset& dataset) {
  return std::make_unique<DatasetRows>(dataset);
}

Dataset read_dataset(RowSource& source) {
  const std::size_t rows = source.count_rows();
  DatasetParts parts = source.layout();
  GrowingMatrix inputs(rows, parts.inputs.cols());
  GrowingMatrix targets(rows, parts.targets.cols());
  GrowingMatrix noise_std(rows, parts.noise_std.cols());
  for (RowBlock block; source.next(block);) {
    inputs.append(block.inputs);
    targets.append(block.targets);
    noise_std.append(block.noise_std);
    parts.weights.insert(parts.weights.end(), block.weights.begin(), block.weights.end());
  }
  parts.inputs = std::move(inputs).finish();
  parts.targets = std::move(targets).finish();
  parts.noise_std = std::move(noise_std).finish();
  return Dataset(std::move(parts));
}

}  // namespace credens::data
