// SPDX-License-Identifier: Apache-2.0

#include "data/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/content_hash.hpp"
#include "data/spill.hpp"

namespace credens::data {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory");

namespace {

class SectionHash {
 public:
  void start_section(std::string_view tag, std::span<const std::string> names, std::size_t rows, std::size_t cols) {
    add(tag);
    add(names.size());
    for (const std::string& name : names) add(std::string_view(name));
    add(rows);
    add(cols);
  }

  void add_rows(MatrixView values) {
    for (std::size_t row = 0; row < values.rows(); ++row) add(values.row(row));
  }

  void add_section(std::string_view tag, std::span<const std::string> names, MatrixView values) {
    start_section(tag, names, values.rows(), values.cols());
    add_rows(values);
  }

  void add_section(std::string_view tag, std::span<const std::string> names, std::size_t rows, const Spill& values) {
    const bool is_there = values.count() > 0;
    start_section(tag, names, is_there ? rows : 0, is_there ? values.count() / rows : 0);
    values.read([&](std::span<const double> piece) { add(piece); });
  }

  void add(std::span<const double> values) {
    row_.resize(values.size());
    std::ranges::transform(values, row_.begin(), [](double value) { return value + 0.0; });  // -0 + 0 is 0
    hash_.add(base::bytes_of(row_));
  }

  std::string digits() const { return hash_.digits(); }

 private:
  void add(std::string_view text) {
    add(text.size());
    hash_.add(text);
  }

  void add(std::uint64_t number) { hash_.add(base::bytes_of(std::span(&number, 1))); }

  base::ContentHash hash_;
  std::vector<double> row_;
};

}  // namespace

std::string fingerprint(const Dataset& dataset) {
  const std::span<const double> weights = dataset.weights();
  SectionHash hash;
  hash.add_section("inputs", dataset.input_names(), dataset.inputs());
  hash.add_section("targets", dataset.target_names(), dataset.targets());
  hash.add_section("weights", {}, MatrixView(weights.data(), weights.size(), weights.empty() ? 0 : 1));
  hash.add_section("noise", {}, dataset.noise_std());
  return hash.digits();
}

struct RowFingerprint::Impl {
  SectionHash hash;
  std::size_t rows = 0;
  std::vector<std::string> target_names;
  Spill targets;
  Spill weights;
  Spill noise;
};

namespace {

void append(Spill& values, MatrixView rows) {
  for (std::size_t row = 0; row < rows.rows(); ++row) values.append(rows.row(row));
}

}  // namespace

RowFingerprint::RowFingerprint(const Schema& schema, std::size_t rows) : impl_(std::make_unique<Impl>()) {
  impl_->rows = rows;
  impl_->target_names = schema.target_names();
  impl_->hash.start_section("inputs", schema.input_names(), rows, schema.inputs.size());
}

RowFingerprint::~RowFingerprint() = default;

void RowFingerprint::add(const RowBlock& block) {
  impl_->hash.add_rows(block.inputs);
  append(impl_->targets, block.targets);
  impl_->weights.append(block.weights);
  append(impl_->noise, block.noise_std);
}

std::string RowFingerprint::digits() const {
  SectionHash hash = impl_->hash;
  hash.add_section("targets", impl_->target_names, impl_->rows, impl_->targets);
  hash.add_section("weights", {}, impl_->rows, impl_->weights);
  hash.add_section("noise", {}, impl_->rows, impl_->noise);
  return hash.digits();
}

struct RowDigest::Impl {
  SectionHash hash;
};

RowDigest::RowDigest() : impl_(std::make_unique<Impl>()) {}
RowDigest::~RowDigest() = default;

void RowDigest::add(const RowBlock& block) {
  impl_->hash.add_rows(block.inputs);
  impl_->hash.add_rows(block.targets);
  impl_->hash.add(block.weights);
  impl_->hash.add_rows(block.noise_std);
}

std::string RowDigest::digits() const {
  return impl_->hash.digits();
}

}  // namespace credens::data
