// SPDX-License-Identifier: Apache-2.0

#include "table.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "arrays.hpp"
#include "base/check.hpp"
#include "data/file_kind.hpp"
#include "data/match.hpp"
#include "data/units.hpp"
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
  return name == "date" || name == "date with zone" ? Content::date : Content::number;
}

Frame from_columns(const std::string& source, std::vector<std::string> names, const std::vector<Array1>& columns,
                   const std::vector<std::string>& contents, Texts texts, const Faults& faults) {
  Frame frame{.table = {.source = source, .names = std::move(names), .levels = std::move(texts)}};
  data::Table& table = frame.table;
  data::separate_units(table.names, table.units);
  for (const std::string& content : contents) {
    frame.contents.push_back(content_named(content));
    table.zones.push_back(frame.contents.back() == Content::date ? std::optional(content != "date") : std::nullopt);
  }
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
  data::separate_units(frame.table.names, frame.table.units);
  frame.contents.assign(frame.table.cols(), Content::number);
  frame.table.levels.resize(frame.table.cols());
  frame.table.faults.resize(frame.table.cols());
  return frame;
}

Frame from_arrow(const std::string& source, const nb::object& capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  return unlocked([&] {
    Frame frame = read_arrow(*stream, source);
    data::separate_units(frame.table.names, frame.table.units);
    return frame;
  });
}

/// All rows of a text file or an array. Columns of a text file that hold more than numbers are text.
Frame read_file(const std::filesystem::path& path) {
  const std::unique_ptr<data::RowPortions> portions = data::open_table(path, {});
  Frame frame{.table = portions->header(), .is_array = portions->header().first_line == 0};
  data::Table& table = frame.table;
  std::vector<data::ColumnReading> readings(table.cols());
  const std::vector<data::ColumnContent> contents = portions->contents();
  for (std::size_t col = 0; col < table.cols(); ++col) {
    const bool is_text = contents[col].words + contents[col].dates > 0;
    frame.contents.push_back(is_text ? Content::text : Content::number);
    readings[col].kind = is_text ? ColumnKind::category : ColumnKind::number;
  }
  portions->read_as(std::move(readings));
  std::vector<double> values;
  while (portions->append(values)) {
  }
  const std::size_t rows = values.size() / table.cols();
  table.values = Matrix(rows, table.cols(), std::move(values));
  table.warnings = portions->header().warnings;
  table.faults = portions->faults();
  table.faults.resize(table.cols());
  table.levels.resize(table.cols());
  table.zones.resize(table.cols());
  for (std::size_t col = 0; col < table.cols(); ++col) {
    if (frame.contents[col] == Content::text) table.levels[col] = portions->levels(col);
  }
  return frame;
}

Frame frame_of_file(const std::filesystem::path& path) {
  return unlocked([&] { return read_file(path); });
}

/// The inputs of a model from a text file, read as `credens predict` reads it, and what is to be said of how they were
/// read.
nb::typed<nb::tuple, NumpyArray, std::vector<std::string>> inputs_of_file(const std::filesystem::path& path,
                                                                          const Ensemble& ensemble) {
  std::vector<std::string> warnings;
  Matrix inputs = unlocked([&] {
    data::Schema model = ensemble.state().schema;
    model.has_noise = false;
    auto portions = data::open_table(path, {}, model);
    if (portions->header().first_line == 0) return inputs_of(read_file(path), model);
    const auto rows = data::open_rows_for(path, std::move(portions), model, {});
    Matrix read = data::read_inputs(*rows);
    warnings = rows->warnings();
    return read;
  });
  return nb::make_tuple(to_array(std::move(inputs)), std::move(warnings));
}

/// How this package calls what reads the file; empty: text or an array.
std::string package_reader_of(const std::filesystem::path& path) {
  const auto kind = data::foreign_kind_of(path);
  return kind ? std::string(kind->reader) : "";
}

bool holds_numbers(const Frame& frame) {
  return std::ranges::all_of(frame.contents, [](Content content) { return content == Content::number; });
}

/// Names that are given are kept as they are, without units.
void rename(Frame& frame, std::vector<std::string> names) {
  frame.table.names = std::move(names);
  frame.table.units.clear();
}

}  // namespace

void register_table(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Frame>(module, "Table", "Columns of numbers, text, flags and dates, with names or without.")
      .def_static("from_columns", &from_columns, "source"_a, "names"_a, "columns"_a, "contents"_a, "texts"_a,
                  "faults"_a)
      .def_static("from_matrix", &from_matrix, "source"_a, "names"_a, "values"_a.noconvert())
      .def_static("from_arrow", &from_arrow, "source"_a, "capsule"_a)
      .def_static("from_file", &frame_of_file, "path"_a)
      .def_prop_ro("names", [](const Frame& frame) { return frame.table.names; })
      .def_prop_ro("units", [](const Frame& frame) { return frame.table.units; })
      .def_prop_ro("warnings", [](const Frame& frame) { return frame.table.warnings; })
      .def_prop_ro("rows", [](const Frame& frame) { return frame.table.rows(); })
      .def_prop_ro("columns", [](const Frame& frame) { return frame.table.cols(); })
      .def_prop_ro("holds_numbers", &holds_numbers, "Whether every column holds numbers.")
      .def("rename", &rename, "names"_a)
      .def("matrix", [](const Frame& frame) { return to_array(numbers_of(frame)); })
      .def(
          "inputs_of",
          [](const Frame& frame, const Ensemble& ensemble) {
            return to_array(unlocked([&] { return inputs_of(frame, ensemble.state().schema); }));
          },
          "ensemble"_a, "The columns that the ensemble was trained on.");

  module.def("reader_of", &package_reader_of, "path"_a);
  module.def("inputs_of_file", &inputs_of_file, "path"_a, "ensemble"_a);
}

}  // namespace credens::python
