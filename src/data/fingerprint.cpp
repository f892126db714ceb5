// SPDX-License-Identifier: Apache-2.0

#include "data/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "base/bytes.hpp"
#include "base/file.hpp"

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory");

namespace {

void add_values(base::ContentHash& hash, std::span<const double> values) {
  std::array<double, 512> piece;
  for (; !values.empty(); values = values.subspan(std::min(piece.size(), values.size()))) {
    const std::span<const double> next = values.first(std::min(piece.size(), values.size()));
    std::ranges::transform(next, piece.begin(), [](double value) {
      return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value + 0.0;  // -0 + 0 is 0
    });
    hash.add(base::bytes_of(std::span(piece).first(next.size())));
  }
}

void add_rows(base::ContentHash& hash, MatrixView values) {
  for (std::size_t row = 0; row < values.rows(); ++row) add_values(hash, values.row(row));
}

void add_number(base::ContentHash& hash, std::uint64_t number) {
  hash.add(base::bytes_of(std::span(&number, 1)));
}

void add_text(base::ContentHash& hash, std::string_view text) {
  add_number(hash, text.size());
  hash.add(text);
}

void start_section(base::ContentHash& hash, std::string_view tag, std::span<const std::string> names, std::size_t rows,
                   std::size_t cols) {
  add_text(hash, tag);
  add_number(hash, names.size());
  for (const std::string& name : names) add_text(hash, name);
  add_number(hash, rows);
  add_number(hash, cols);
}

void add_section(base::ContentHash& hash, std::string_view tag, std::span<const std::string> names, MatrixView values) {
  start_section(hash, tag, names, values.rows(), values.cols());
  add_rows(hash, values);
}

/// The words that codes stand for; nothing where there are none, so that tables of numbers keep their fingerprint.
void add_levels(base::ContentHash& hash, const Schema& schema) {
  const auto add = [&](const Column& column) {
    if (column.kind == ColumnKind::category) start_section(hash, "levels", column.levels, 0, 0);
  };
  std::ranges::for_each(schema.inputs, add);
  std::ranges::for_each(schema.targets, add);
}

/// Names with their units, so that tables differ which differ in a unit.
std::vector<std::string> hashed_names(const Schema& schema) {
  return schema.has_names ? schema.input_labels() : std::vector<std::string>();
}

/// Numbers that must wait, one or a few per row: in memory while they are few, else in a nameless temporary file.
class Spill {
 public:
  /// Throws io where the file finds no room.
  void append(std::span<const double> values) {
    constexpr std::size_t most_held = std::size_t{2} << 20;
    if (held_.size() + values.size() > most_held) spill();
    held_.insert(held_.end(), values.begin(), values.end());
  }

  void append(MatrixView rows) {
    for (std::size_t row = 0; row < rows.rows(); ++row) append(rows.row(row));
  }

  std::size_t count() const { return spilled_ + held_.size(); }

  /// All numbers in their order.
  void add_to(base::ContentHash& hash) const {
    std::vector<double> piece(std::size_t{1} << 17);
    for (std::size_t at = 0; at < spilled_; at += piece.size()) {
      piece.resize(std::min(piece.size(), spilled_ - at));
      base::read_at(file_.number(), at * sizeof(double),
                    {reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(double)}, name);
      add_values(hash, piece);
    }
    add_values(hash, held_);
  }

 private:
  void spill() {
    if (!file_.is_open()) file_ = base::open_scratch();
    base::write_at(file_.number(), spilled_ * sizeof(double), base::bytes_of(held_), name);
    spilled_ += held_.size();
    held_.clear();
  }

  static constexpr const char* name = "a temporary file";

  std::vector<double> held_;
  std::size_t spilled_ = 0;  ///< numbers in the file, before those held
  base::Descriptor file_;
};

void add_section(base::ContentHash& hash, std::string_view tag, std::span<const std::string> names, std::size_t rows,
                 const Spill& values) {
  const bool is_there = values.count() > 0;
  start_section(hash, tag, names, is_there ? rows : 0, is_there ? values.count() / rows : 0);
  values.add_to(hash);
}

}  // namespace

struct RowFingerprint::Impl {
  base::ContentHash hash;
  const Schema* schema = nullptr;
  std::size_t rows = 0;
  std::vector<std::string> target_names;
  Spill targets;
  Spill weights;
  Spill noise;
};

RowFingerprint::RowFingerprint(const Schema& schema, std::size_t rows) : impl_(std::make_unique<Impl>()) {
  impl_->schema = &schema;
  impl_->rows = rows;
  impl_->target_names = schema.target_labels();
  start_section(impl_->hash, "inputs", hashed_names(schema), rows, schema.inputs.size());
}

RowFingerprint::~RowFingerprint() = default;

void RowFingerprint::add(const RowBlock& block) {
  add_rows(impl_->hash, block.inputs);
  impl_->targets.append(block.targets);
  impl_->weights.append(block.weights);
  impl_->noise.append(block.noise_std);
}

std::string RowFingerprint::digits() const {
  base::ContentHash hash = impl_->hash;
  add_section(hash, "targets", impl_->target_names, impl_->rows, impl_->targets);
  add_section(hash, "weights", {}, impl_->rows, impl_->weights);
  add_section(hash, "noise", {}, impl_->rows, impl_->noise);
  add_levels(hash, *impl_->schema);
  return hash.digits();
}

void RowDigest::add(const RowBlock& block) {
  add_rows(hash_, block.inputs);
  add_rows(hash_, block.targets);
  add_values(hash_, block.weights);
  add_rows(hash_, block.noise_std);
}

}  // namespace credens::data

namespace credens {

std::string Dataset::fingerprint() const {
  base::ContentHash hash;
  data::add_section(hash, "inputs", data::hashed_names(*schema_), inputs());
  data::add_section(hash, "targets", schema_->target_labels(), targets());
  data::add_section(hash, "weights", {}, MatrixView(weights().data(), weights().size(), weights().empty() ? 0 : 1));
  data::add_section(hash, "noise", {}, noise_std());
  data::add_levels(hash, schema());
  return hash.digits();
}

}  // namespace credens
