// SPDX-License-Identifier: Apache-2.0

#include "data/fingerprint.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace credens::data {
namespace {

DatasetParts parts() {
  return {.inputs = Matrix(2, 2, std::vector<double>{1.5, -0.0, 3, 4e-5}),
          .targets = Matrix(2, 1, std::vector<double>{-7, 1e300}),
          .weights = {1, 2},
          .noise_std = Matrix(2, 1, std::vector<double>{0.5, 0.25}),
          .input_names = {"a", "größe"},
          .target_names = {"t"}};
}

/// Writes the documented stream, one field at a time.
class Stream {
 public:
  Stream& number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> 8 * i & 0xff);
    return *this;
  }
  Stream& text(const std::string& value) {
    number(value.size());
    bytes_ += value;
    return *this;
  }
  Stream& value(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return number(bits);
  }
  std::string digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes_.data(), bytes_.size()));
    std::string digits;
    for (const unsigned char byte : canonical.digest) digits += fmt::format("{:02x}", byte);
    return digits;
  }

 private:
  std::string bytes_;
};

TEST(Fingerprint, IsTakenOverTheDocumentedBytes) {
  Stream stream;
  stream.text("inputs").number(2).text("a").text("größe").number(2).number(2).value(1.5).value(0.0).value(3).value(
      4e-5);
  stream.text("targets").number(1).text("t").number(2).number(1).value(-7).value(1e300);
  stream.text("weights").number(0).number(2).number(1).value(1).value(2);
  stream.text("noise").number(0).number(2).number(1).value(0.5).value(0.25);
  EXPECT_EQ(Dataset(parts()).fingerprint(), stream.digest());
}

TEST(Fingerprint, OfAbsentPartsHasNoRows) {
  Stream stream;
  stream.text("inputs").number(0).number(1).number(1).value(1);
  stream.text("targets").number(1).text("y").number(1).number(1).value(2);
  stream.text("weights").number(0).number(0).number(0);
  stream.text("noise").number(0).number(0).number(0);
  EXPECT_EQ(Dataset({.inputs = Matrix(1, 1, 1.0), .targets = Matrix(1, 1, 2.0)}).fingerprint(), stream.digest());
}

// Recorded: model files and checkpoints of older versions keep these digits.
TEST(Fingerprint, NeverChanges) {
  EXPECT_EQ(Dataset(parts()).fingerprint(), "a80bb6fc884837fbbeac806201e64d95");
}

TEST(Fingerprint, DoesNotTellTheZeros) {
  DatasetParts positive = parts();
  positive.inputs(0, 1) = 0.0;
  EXPECT_EQ(Dataset(positive).fingerprint(), Dataset(parts()).fingerprint());
}

TEST(Fingerprint, TellsContentApart) {
  const std::string original = Dataset(parts()).fingerprint();
  const auto changed = [](auto change) {
    DatasetParts other = parts();
    change(other);
    return Dataset(std::move(other)).fingerprint();
  };
  EXPECT_NE(changed([](auto& p) { p.inputs(1, 1) = std::nextafter(4e-5, 1); }), original);
  EXPECT_NE(changed([](auto& p) { p.targets(0, 0) = 7; }), original);
  EXPECT_NE(changed([](auto& p) { p.weights[0] = 3; }), original);
  EXPECT_NE(changed([](auto& p) { p.weights.clear(); }), original);
  EXPECT_NE(changed([](auto& p) { p.noise_std(0, 0) = 1; }), original);
  EXPECT_NE(changed([](auto& p) { p.input_names = {"a", "b"}; }), original);
  EXPECT_NE(changed([](auto& p) { p.target_names = {"u"}; }), original);
}

TEST(RowFingerprint, IsThatOfTheDatasetHoweverManyValuesWait) {
  // More targets than wait in memory, so that some are in the temporary file, in pieces of which the last is not full.
  const std::size_t rows = 1'200'007;
  DatasetParts many{.inputs = Matrix(rows, 1), .targets = Matrix(rows, 2), .weights = std::vector<double>(rows, 2.5)};
  for (std::size_t row = 0; row < rows; ++row) many.targets(row, row % 2) = static_cast<double>(row);
  for (const Dataset& dataset : {Dataset(parts()), Dataset(std::move(many))}) {
    RowFingerprint fingerprint(dataset.schema(), dataset.rows());
    const auto source = rows_of(dataset);
    for (RowBlock block; source->next(block);) fingerprint.add(block);
    EXPECT_EQ(fingerprint.digits(), dataset.fingerprint());
    EXPECT_EQ(fingerprint.digits(), dataset.fingerprint()) << "asked for again";
  }
}

}  // namespace
}  // namespace credens::data
