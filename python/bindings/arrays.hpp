// SPDX-License-Identifier: Apache-2.0
//
// Arrays of numpy as views of ours, without a copy, and matrices of ours as arrays that own them.

#pragma once

#include <credens/matrix.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace credens::python {

namespace nb = nanobind;

using Array1 = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array2 = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;  ///< see view_of
using Array3 = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// An object that is a numpy array: what stubs say of it.
class NumpyArray : public nb::object {
  NB_OBJECT(NumpyArray, nb::object, "numpy.ndarray", nb::ndarray_check)
};

/// Rows may lie apart, the values of a row may not: credens._tables.matrix sees to that.
MatrixView view_of(const Array2& array);
MatrixView view_of(const std::optional<Array2>& array);  ///< none: empty
std::span<const double> span_of(const std::optional<Array1>& array);

Matrix copy_of(const Array2& array);
std::vector<double> copy_of(const std::optional<Array1>& array);

/// An array of this shape that owns `values`.
NumpyArray to_array(std::vector<double> values, const std::vector<std::size_t>& shape);
NumpyArray to_array(Matrix matrix);  ///< [rows x cols]
NumpyArray to_array(std::vector<double> values);

/// A read-only array over memory that `owner` keeps.
NumpyArray shared_array(const double* values, const std::vector<std::size_t>& shape, nb::handle owner);
NumpyArray shared_array(MatrixView values, nb::handle owner);

/// The result of `work`, during which other Python threads run. It must not touch Python.
template <class Work>
auto unlocked(const Work& work) {
  const nb::gil_scoped_release released;
  return work();
}

}  // namespace credens::python
