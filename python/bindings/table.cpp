// SPDX-License-Identifier: Apache-2.0

#include "table.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "arrays.hpp"
#include "base/check.hpp"
#include "model/ensemble_state.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

using Texts = std::vector<std::vector<std::string>>;

/// By column: row of the first cell that cannot be used, and what it is.
using Faults = std::map<std::size_t, std::tuple<std::size_t, std::string>>;

Content content_named(const std::string& name) {
  if (name == "text") return Content::text;
  if (name == "word") return Content::word;
  if (name == "flag") return Content::flag;
  return name == "date" ? Content::date : Content::number;
}

Frame from_columns(const std::string& source, std::vector<std::string> names, const std::vector<Array1>& columns,
                   const std::vector<std::string>& contents, Texts texts, const Faults& faults) {
  Frame frame{.table = {.source = source, .names = std::move(names), .levels = std::move(texts)}};
  data::Table& table = frame.table;
  for (const std::string& content : contents) frame.contents.push_back(content_named(content));
  table.values = Matrix(columns.empty() ? 0 : columns.front().shape(0), columns.size());
  for (std::size_t col = 0; col < columns.size(); ++col) {
    base::require(columns[col].shape(0) == table.rows(), ErrorCode::data, "{}: column {} has {} rows, expected {}",
                  source, col, columns[col].shape(0), table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row) table.values(row, col) = columns[col].data()[row];
  }
  table.faults.resize(columns.size());
  for (const auto& [col, fault] : faults) {
    table.faults.at(col) = fault_at(table, std::get<0>(fault), col, std::get<1>(fault));
  }
  return frame;
}

Frame from_matrix(const std::string& source, std::vector<std::string> names, const Array2& values) {
  Frame frame{.table = {.source = source, .names = std::move(names), .values = copy_of(values)}, .is_array = true};
  frame.contents.assign(frame.table.cols(), Content::number);
  frame.table.levels.resize(frame.table.cols());
  frame.table.faults.resize(frame.table.cols());
  return frame;
}

Frame from_arrow(const std::string& source, const nb::object& capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return unlocked([&] { return read_arrow(*stream, source); });
}

bool holds_numbers(const Frame& frame) {
  return std::ranges::all_of(frame.contents, [](Content content) { return content == Content::number; });
}

}  // namespace

void register_table(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Frame>(module, "Table", "Columns of numbers, text, flags and dates, with names or without.")
      .def_static("from_columns", &from_columns, "source"_a, "names"_a, "columns"_a, "contents"_a, "texts"_a,
                  "faults"_a)
      .def_static("from_matrix", &from_matrix, "source"_a, "names"_a, "values"_a.noconvert())
      .def_static("from_arrow", &from_arrow, "source"_a, "capsule"_a)
      .def_prop_ro("names", [](const Frame& frame) { return frame.table.names; })
      .def_prop_ro("rows", [](const Frame& frame) { return frame.table.rows(); })
      .def_prop_ro("columns", [](const Frame& frame) { return frame.table.cols(); })
      .def_prop_ro("holds_numbers", &holds_numbers, "Whether every column holds numbers.")
      .def("rename", [](Frame& frame, std::vector<std::string> names) { frame.table.names = std::move(names); })
      .def("matrix", [](const Frame& frame) { return to_array(numbers_of(frame)); })
      .def(
          "inputs_of",
          [](const Frame& frame, const Ensemble& ensemble) {
            return to_array(unlocked([&] { return inputs_of(frame, ensemble.state().schema); }));
          },
          "ensemble"_a, "The columns that the ensemble was trained on.");
}

}  // namespace credens::python
