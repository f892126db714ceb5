// SPDX-License-Identifier: Apache-2.0

#include "table.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <tuple>

#include "arrays.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "data/file_kind.hpp"
#include "data/units.hpp"
#include "model/ensemble_state.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

using data::Table;

/// By column: row and text of the first cell that is not a finite number.
using Faults = std::map<std::size_t, std::tuple<std::size_t, std::string>>;

Table from_columns(const std::string& source, std::vector<std::string> names, const std::vector<Array1>& columns,
                   const Faults& faults) {
  Table table{.source = source, .names = std::move(names)};
  data::separate_units(table.names, table.units);
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
  return table;
}

Table from_arrow(const std::string& source, const nb::object& capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return unlocked([&] {
    Table table = read_arrow(*stream, source);
    data::separate_units(table.names, table.units);
    return table;
  });
}

/// All rows of a text file or an array.
Table table_of_file(const std::filesystem::path& path) {
  return unlocked([&] {
    const std::unique_ptr<data::RowPortions> portions = data::open_table(path, {});
    std::vector<double> values;
    while (portions->append(values)) {
    }
    Table table = portions->header();
    const std::size_t rows = values.size() / table.cols();
    table.values = Matrix(rows, table.cols(), std::move(values));
    table.faults = portions->faults();
    return table;
  });
}

/// How this package calls what reads the file; empty: text or an array.
std::string package_reader_of(const std::filesystem::path& path) {
  const auto kind = data::foreign_kind_of(path);
  return kind ? std::string(kind->reader) : "";
}

std::vector<std::size_t> all_columns(const Table& table) {
  std::vector<std::size_t> columns;
  for (std::size_t col = 0; col < table.cols(); ++col) columns.push_back(col);
  return columns;
}

/// Every column, all of which must be usable.
NumpyArray matrix_of(const nb::object& self) {
  const auto& table = nb::cast<const Table&>(self);
  data::check_usable(table, all_columns(table));
  return shared_array(table.values.view(), self);
}

}  // namespace

data::ColumnFault fault_at(const Table& table, std::size_t row, std::size_t col, const std::string& found) {
  const std::string column = table.names.empty() ? fmt::format("{}", col) : base::quoted(table.names[col]);
  return {
      .row = row,
      .sentence = fmt::format("{}: row {}, column {} {}, expected a finite number", table.source, row, column, found)};
}

void register_table(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Table>(module, "Table", "Columns of numbers, with names or without.")
      .def_static("from_columns", &from_columns, "source"_a, "names"_a, "columns"_a, "faults"_a)
      .def_static("from_arrow", &from_arrow, "source"_a, "capsule"_a)
      .def_static("from_file", &table_of_file, "path"_a)
      .def_prop_ro("names", [](const Table& table) { return table.names; })
      .def_prop_ro("units", [](const Table& table) { return table.units; })
      .def_prop_ro("warnings", [](const Table& table) { return table.warnings; })
      .def_prop_ro("rows", [](const Table& table) { return table.rows(); })
      .def("matrix", [](nb::handle_t<Table> self) { return matrix_of(nb::borrow(self)); })
      .def(
          "inputs_of",
          [](const Table& table, const Ensemble& ensemble) {
            return to_array(data::select_inputs(table, ensemble.state().schema));
          },
          "ensemble"_a, "The columns that the ensemble was trained on.");

  module.def("reader_of", &package_reader_of, "path"_a);
}

}  // namespace credens::python
