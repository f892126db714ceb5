// SPDX-License-Identifier: Apache-2.0
//
// Row-major matrices: an owner and a view. Views never own; a Matrix converts to its view.

#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace credens {

/// A read-only window on rows of equal length that lie `stride` values apart.
template <class T>
class BasicMatrixView {
 public:
  BasicMatrixView() = default;
  BasicMatrixView(const T* data, std::size_t rows, std::size_t cols) : BasicMatrixView(data, rows, cols, cols) {}
  BasicMatrixView(const T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }
  const T* data() const { return data_; }
  const T& operator()(std::size_t row, std::size_t col) const { return data_[row * stride_ + col]; }
  std::span<const T> row(std::size_t index) const { return {data_ + index * stride_, cols_}; }
  BasicMatrixView row_block(std::size_t first, std::size_t count) const {
    return {data_ + first * stride_, count, cols_, stride_};
  }

 private:
  const T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

/// A dense row-major matrix that owns its values.
template <class T>
class BasicMatrix {
 public:
  BasicMatrix() = default;
  BasicMatrix(std::size_t rows, std::size_t cols, T value = T{})
      : rows_(rows), cols_(cols), values_(rows * cols, value) {}
  BasicMatrix(std::size_t rows, std::size_t cols, std::vector<T> values)
      : rows_(rows), cols_(cols), values_(std::move(values)) {}

  /// Changes the size; memory is kept, what the values are is left open.
  void resize(std::size_t rows, std::size_t cols) {
    rows_ = rows;
    cols_ = cols;
    values_.resize(rows * cols);
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  bool empty() const { return values_.empty(); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T& operator()(std::size_t row, std::size_t col) { return values_[row * cols_ + col]; }
  const T& operator()(std::size_t row, std::size_t col) const { return values_[row * cols_ + col]; }
  std::span<T> row(std::size_t index) { return {values_.data() + index * cols_, cols_}; }
  std::span<const T> row(std::size_t index) const { return {values_.data() + index * cols_, cols_}; }
  std::span<const T> values() const { return values_; }
  std::span<T> values() { return values_; }
  BasicMatrixView<T> view() const { return {values_.data(), rows_, cols_}; }
  operator BasicMatrixView<T>() const { return view(); }
  bool operator==(const BasicMatrix&) const = default;

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T> values_;
};

using Matrix = BasicMatrix<double>;
using MatrixView = BasicMatrixView<double>;

}  // namespace credens
