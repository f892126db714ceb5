// SPDX-License-Identifier: Apache-2.0

#include "arrays.hpp"

#include <algorithm>
#include <memory>

#include "base/check.hpp"

namespace credens::python {

namespace {

template <class Owned>
NumpyArray owning_array(Owned owned, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<Owned>(std::move(owned));
  double* values = kept->data();
  const nb::capsule owner(kept.release(), [](void* pointer) noexcept { delete static_cast<Owned*>(pointer); });
  return nb::borrow<NumpyArray>(nb::cast(nb::ndarray<nb::numpy, double>(values, shape.size(), shape.data(), owner)));
}

}  // namespace

MatrixView view_of(const Array2& array) {
  const std::size_t rows = array.shape(0);
  const std::size_t cols = array.shape(1);
  const std::int64_t stride = rows > 1 ? array.stride(0) : static_cast<std::int64_t>(cols);
  base::require((cols <= 1 || array.stride(1) == 1) && stride >= 0, ErrorCode::failure,
                "an array whose rows do not lie in one piece reached the extension");
  return {array.data(), rows, cols, static_cast<std::size_t>(stride)};
}

MatrixView view_of(const std::optional<Array2>& array) {
  return array ? view_of(*array) : MatrixView();
}

std::span<const double> span_of(const std::optional<Array1>& array) {
  return array ? std::span<const double>(array->data(), array->shape(0)) : std::span<const double>();
}

Matrix copy_of(const Array2& array) {
  const MatrixView view = view_of(array);
  Matrix matrix(view.rows(), view.cols());
  for (std::size_t row = 0; row < view.rows(); ++row) std::ranges::copy(view.row(row), matrix.row(row).begin());
  return matrix;
}

std::vector<double> copy_of(const std::optional<Array1>& array) {
  const std::span<const double> values = span_of(array);
  return {values.begin(), values.end()};
}

NumpyArray to_array(std::vector<double> values, const std::vector<std::size_t>& shape) {
  return owning_array(std::move(values), shape);
}

NumpyArray to_array(Matrix matrix) {
  const std::vector<std::size_t> shape = {matrix.rows(), matrix.cols()};
  return owning_array(std::move(matrix), shape);
}

NumpyArray to_array(std::vector<double> values) {
  const std::vector<std::size_t> shape = {values.size()};
  return owning_array(std::move(values), shape);
}

NumpyArray shared_array(const double* values, const std::vector<std::size_t>& shape, nb::handle owner) {
  return nb::borrow<NumpyArray>(
      nb::cast(nb::ndarray<nb::numpy, const double>(values, shape.size(), shape.data(), owner)));
}

NumpyArray shared_array(MatrixView values, nb::handle owner) {
  return shared_array(values.data(), {values.rows(), values.cols()}, owner);
}

}  // namespace credens::python
