// SPDX-License-Identifier: Apache-2.0

#include "cli/agreement.hpp"

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "cli/team.hpp"
#include "store/model_file.hpp"
#include "store/safetensors.hpp"

namespace credens::cli {

namespace {

/// The digits that a checksum skips in a file stand before the bytes here, so that all of these count.
std::string digest(const std::string& bytes) {
  return store::checksum(std::string(store::checksum_digits, '0') + bytes, 0);
}

}  // namespace

void check_agreement(base::Team& team, std::string_view file, const std::vector<std::string>& found) {
  if (team.is_alone()) return;
  std::string own;
  base::append_text(own, host_name());
  for (const std::string& one : found) base::append_text(own, one);
  const std::vector<std::string> all = team.gather(own);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    base::ByteReader reader(all[rank]);
    const std::string host = reader.text();
    for (std::size_t i = 0; i < found.size() || !reader.at_end(); ++i) {
      const std::string expected = i < found.size() ? found[i] : "less";
      const std::string there = reader.at_end() ? "less" : reader.text();
      base::require(there == expected, ErrorCode::data,
                    "{}: rank {} on {} reads another file of this name than rank 0: {}, expected {}", file, rank, host,
                    there, expected);
    }
  }
}

void check_same_model(base::Team& team, std::string_view file, const Ensemble& ensemble) {
  if (team.is_alone()) return;
  check_agreement(team, file, {"a model with checksum " + digest(store::encode_model(ensemble))});
}

void RowDigest::add(MatrixView values) {
  std::string bytes = digits_;
  for (std::size_t row = 0; row < values.rows(); ++row) base::append_values(bytes, values.row(row));
  digits_ = digest(bytes);
}

void RowDigest::add(const Rows& rows) {
  if (!rows.arrays) return add(rows.block.table->values);
  for (const std::vector<Matrix>* arrays : {&rows.arrays->features, &rows.arrays->mean, &rows.arrays->variance}) {
    for (const Matrix& values : *arrays) add(values);
  }
  add(rows.arrays->targets);
  add(MatrixView(rows.arrays->row_weights.data(), rows.arrays->row_weights.size(), 1));
}

}  // namespace credens::cli
