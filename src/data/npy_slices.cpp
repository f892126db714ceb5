// SPDX-License-Identifier: Apache-2.0

#include "data/npy_slices.hpp"

#include "base/check.hpp"

namespace credens::data {

NpySlices::NpySlices(const std::filesystem::path& path, NpyRest rest) : bytes_(std::make_unique<ByteSource>(path)) {
  constexpr std::size_t longest_header = std::size_t{1} << 20;
  layout_ = read_npy_layout(bytes_->window(0, longest_header), bytes_->size(), name(), rest);
  const std::size_t rank = layout_.shape.size();
  base::require(rank >= 1 && rank <= 3, ErrorCode::data, "{}: an array of rank {}, expected 1, 2 or 3", name(), rank);
  rows_ = layout_.shape[rank == 3 ? 1 : 0];
  if (rank > 1) cols_ = layout_.shape.back();
}

void NpySlices::read(std::size_t slab, std::size_t first, std::size_t count, Matrix& into) {
  into.resize(count, cols_);
  if (into.values().empty()) return;
  if (layout_.fortran_order) {
    read_columns(slab, first, into);
  } else {
    read_rows(slab, first, into);
  }
}

/// Value (slab s, row i, column j) lies at (s rows + i) cols + j.
void NpySlices::read_rows(std::size_t slab, std::size_t first, Matrix& into) {
  const std::size_t at = layout_.values_at + (slab * rows_ + first) * cols_ * layout_.item_size;
  layout_.convert(bytes_->window(at, into.values().size() * layout_.item_size).data(), into.values());
}

/// Value (slab s, row i, column j) lies at s + slabs (i + rows j): the slabs of a row lie together, then its column's
/// other rows.
void NpySlices::read_columns(std::size_t slab, std::size_t first, Matrix& into) {
  std::vector<double> run(into.rows() * slabs());
  for (std::size_t col = 0; col < cols_; ++col) {
    const std::size_t at = layout_.values_at + (col * rows_ + first) * slabs() * layout_.item_size;
    layout_.convert(bytes_->window(at, run.size() * layout_.item_size).data(), run);
    for (std::size_t row = 0; row < into.rows(); ++row) into(row, col) = run[row * slabs() + slab];
  }
}

}  // namespace credens::data
