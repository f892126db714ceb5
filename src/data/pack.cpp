// SPDX-License-Identifier: Apache-2.0

#include "data/pack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/file.hpp"
#include "data/kinds.hpp"
#include "data/npy.hpp"
#include "data/schema.hpp"
#include "data/table.hpp"

namespace credens::data {

namespace {

/// Positions of the columns that stay.
std::vector<std::size_t> kept_columns(const Table& table, const std::vector<std::string>& ignored) {
  std::vector<std::size_t> kept(table.cols());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  for (const std::string& name : ignored) std::erase(kept, find_column(table, name));
  base::require(!kept.empty(), ErrorCode::usage, "{}: all columns are ignored, expected at least one to be left",
                table.source);
  return kept;
}

class Packer {
 public:
  Packer(RowPortions& table, const PackOptions& options, base::AtomicFile& file)
      : table_(table),
        options_(options),
        file_(file),
        kept_(kept_columns(table.header(), options.ignore)),
        descr_(options.type == PackedType::float32 ? "<f4" : "<f8") {
    const std::vector<std::string> names = labels_with_units(table.header());
    for (std::size_t i = 0; i < kept_.size() && !names.empty(); ++i) packed_.about.names.push_back(names[kept_[i]]);
    packed_.columns = kept_.size();
    set_readings();
  }

  Packed run() {
    const std::string room = npy_header({std::numeric_limits<std::size_t>::max(), packed_.columns}, descr_);
    append(room);
    for (std::vector<double> values; table_.append(values); values.clear()) {
      check_cells();
      append_rows(values);
      if (options_.on_progress) options_.on_progress(packed_.rows, table_.guess_rows());
    }
    take_levels();
    append(npy_columns(packed_.about));
    file_.write_at(0, npy_header({packed_.rows, packed_.columns}, descr_, room.size()));
    return packed_;
  }

 private:
  /// Each column as `fit` would read it as an input.
  void set_readings() {
    const std::size_t cols = table_.header().cols();
    Schema schema{.inputs = make_columns({}, kept_, kept_.size(), "column", ErrorCode::usage), .table_columns = cols};
    set_kinds(table_, {.numbers = options_.numbers, .categories = options_.categories, .dates = options_.dates},
              schema);
    for (const Column& column : schema.inputs) {
      packed_.about.kinds.push_back(column.kind);
      base::require(column.kind != ColumnKind::date || options_.type != PackedType::float32, ErrorCode::usage,
                    "{}: {} holds dates, which float32 rounds to minutes: leave it out or pack as float64",
                    table_.header().source, label_of(*column.position, table_.header().names));
    }
    table_.read_as(readings_of(schema, cols, false));
  }

  void take_levels() {
    packed_.about.levels.resize(kept_.size());
    for (const std::size_t col : kept_) packed_.about.zones.push_back(table_.has_zone(col).value_or(false));
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (packed_.about.kinds[i] == ColumnKind::category) packed_.about.levels[i] = table_.levels(kept_[i]);
    }
  }

  void append(std::string_view bytes) {
    file_.write_at(packed_.bytes, bytes);
    packed_.bytes += bytes.size();
  }

  /// Those of the portion and all before. A missing number is NaN in the array too.
  void check_cells() const {
    if (const ColumnFault* fault = first_fault(table_.faults(), kept_)) throw Error(ErrorCode::data, fault->sentence);
  }

  void append_rows(std::vector<double>& values) {
    const std::size_t rows = values.size() / table_.header().cols();
    if (kept_.size() < table_.header().cols()) take_kept(values);
    if (options_.type == PackedType::float32) {
      append(base::bytes_of(rounded(values)));
    } else {
      append(base::bytes_of(values));
    }
    packed_.rows += rows;
  }

  /// Each value moves towards the front, so that none is lost before it is taken.
  void take_kept(std::vector<double>& values) const {
    const std::size_t cols = table_.header().cols();
    std::size_t to = 0;
    for (std::size_t row = 0; row < values.size(); row += cols) {
      for (const std::size_t col : kept_) values[to++] = values[row + col];
    }
    values.resize(to);
  }

  const std::vector<float>& rounded(const std::vector<double>& values) {
    singles_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      singles_[i] = static_cast<float>(values[i]);
      if (std::isfinite(singles_[i]) || std::isnan(values[i])) continue;
      const std::string place = place_of(table_.header(), packed_.rows + i / kept_.size(), kept_[i % kept_.size()]);
      base::fail(ErrorCode::data, "{}: {} is beyond the largest float32", place, values[i]);
    }
    return singles_;
  }

  RowPortions& table_;
  const PackOptions& options_;
  base::AtomicFile& file_;
  std::vector<std::size_t> kept_;
  std::string descr_;
  std::vector<float> singles_;
  Packed packed_;
};

}  // namespace

Packed pack_file(const std::filesystem::path& from, const TableFormat& format, const std::filesystem::path& to,
                 const PackOptions& options) {
  const std::unique_ptr<RowPortions> table = open_table(from, format, FileKind::any, Passes::one);
  base::AtomicFile file(to);
  Packed packed = Packer(*table, options, file).run();
  file.commit();
  return packed;
}

}  // namespace credens::data
