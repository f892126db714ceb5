// SPDX-License-Identifier: Apache-2.0

#include <credens/dataset.hpp>
#include <credens/problems.hpp>

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <tuple>

#include "arrays.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "data/complete_rows.hpp"
#include "data/csv_reader.hpp"
#include "data/date.hpp"
#include "data/kinds.hpp"
#include "data/row_source.hpp"
#include "data/scaler.hpp"
#include "frame.hpp"
#include "model/ensemble_state.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

using Names = std::vector<std::string>;
using Positions = std::vector<std::size_t>;

/// Targets, inputs, columns to ignore, the weight, known noise, the group, the time.
using Roles = std::tuple<Names, Names, Names, std::string, Names, std::string, std::string>;

/// Task, classes and columns of counts.
using ClassRoles = std::tuple<std::string, Names, Names>;

/// Columns of numbers, of words and of dates, and whether only finite numbers are taken.
using Kinds = std::tuple<Names, Names, Names, bool>;

DatasetOptions options_of(const Roles& roles) {
  DatasetOptions options;
  std::tie(options.targets, options.inputs, options.ignore, options.weight, options.noise_std, options.group,
           options.time) = roles;
  return options;
}

void set_classes(const ClassRoles& roles, DatasetOptions& options) {
  options.task = base::parse_enum<Task>(std::get<0>(roles));
  options.classes = std::get<1>(roles);
  options.counts = std::get<2>(roles);
}

void set_kinds(const Kinds& kinds, DatasetOptions& options) {
  std::tie(options.numbers, options.categories, options.dates, options.strict) = kinds;
}

ColumnKind kind_named(const std::string& name) {
  if (name == "category") return ColumnKind::category;
  return name == "date" ? ColumnKind::date : ColumnKind::number;
}

using Texts = std::vector<std::vector<std::string>>;

/// Weights, known noise, groups and times.
using PartArrays =
    std::tuple<std::optional<Array1>, std::optional<Array2>, std::optional<Array1>, std::optional<Array1>>;

/// Names of the targets, and of the columns that the arrays came from.
using PartNames = std::tuple<Names, std::string, Names, std::string, std::string>;

/// All parts but inputs and targets.
DatasetParts parts_of(const PartArrays& arrays, const PartNames& names) {
  const auto& [weights, noise_std, groups, times] = arrays;
  DatasetParts parts{.weights = copy_of(weights),
                     .noise_std = noise_std ? copy_of(*noise_std) : Matrix(),
                     .groups = copy_of(groups),
                     .times = copy_of(times)};
  std::tie(parts.target_names, parts.weight_name, parts.noise_names, parts.group_name, parts.time_name) = names;
  return parts;
}

/// Kinds of the inputs, their words, whether somebody gave the kind, and whether dates have zones.
using InputKinds = std::tuple<Names, Texts, std::vector<int>, std::vector<int>>;

/// Task, classes, and words that the codes of targets stand for.
using StoredClasses = std::tuple<std::string, Names, Names>;

/// A dataset as it was pickled.
Dataset from_arrays(const Array2& inputs, const Names& input_names, const Array2& targets, const PartArrays& arrays,
                    const PartNames& names, const Names& input_units, const Names& target_units,
                    const Positions& input_columns, const Positions& target_columns, std::size_t table_columns,
                    const InputKinds& kinds, bool allows_missing, const Names& missing, const StoredClasses& classes) {
  return unlocked([&] {
    DatasetParts parts = parts_of(arrays, names);
    parts.inputs = copy_of(inputs);
    parts.input_names = input_names;
    parts.targets = copy_of(targets);
    parts.task = base::parse_enum<Task>(std::get<0>(classes));
    parts.classes = std::get<1>(classes);
    parts.target_levels = std::get<2>(classes);
    data::Schema schema = data::schema_of(parts);
    schema.inputs = data::make_columns(input_names, input_columns, parts.inputs.cols(), "input", ErrorCode::data);
    for (std::size_t i = 0; i < schema.inputs.size(); ++i) {
      schema.inputs[i].kind = kind_named(std::get<0>(kinds).at(i));
      schema.inputs[i].levels = std::get<1>(kinds).at(i);
      schema.inputs[i].is_wanted = std::get<2>(kinds).at(i) != 0;
      const int zone = std::get<3>(kinds).at(i);
      if (zone >= 0) schema.inputs[i].has_zone = zone == 1;
    }
    for (std::size_t k = 0; k < target_columns.size(); ++k) schema.targets.at(k).position = target_columns[k];
    data::set_units(input_units, schema.inputs, "input", ErrorCode::data);
    data::set_units(target_units, schema.targets, "target", ErrorCode::data);
    schema.table_columns = table_columns;
    schema.allows_missing = allows_missing;
    schema.missing = missing;
    return Dataset(std::move(parts), schema);
  });
}

/// Inputs and targets are all columns of a table each, the rest are arrays. Counts stand in place of the targets.
Dataset from_parts(const Frame& inputs, const Frame& targets, const std::string& task, const Names& classes,
                   bool has_counts, const PartArrays& arrays, const PartNames& names, const Names& target_units,
                   std::size_t table_columns, const Kinds& kinds) {
  return unlocked([&] {
    DatasetParts parts = parts_of(arrays, names);
    parts.input_names = inputs.table.names;
    DatasetOptions options;
    set_kinds(kinds, options);
    set_classes({task, classes, {}}, options);
    return make_dataset(inputs, {.frame = targets, .has_counts = has_counts}, std::move(parts), options,
                        {.columns = table_columns, .target_units = target_units});
  });
}

Dataset from_table(const Frame& table, const Roles& roles, const ClassRoles& classes, const Kinds& kinds,
                   const Names& missing) {
  DatasetOptions options = options_of(roles);
  set_classes(classes, options);
  set_kinds(kinds, options);
  options.format.missing = missing;
  return unlocked([&] { return make_dataset(table, options); });
}

/// The rows, and what is to be said of how they were read.
nb::typed<nb::tuple, Dataset, Names> from_file(const std::filesystem::path& path, bool is_text, const Roles& roles,
                                               const ClassRoles& classes, const Kinds& kinds, const Names& missing,
                                               std::optional<bool> header, const std::string& delimiter,
                                               const std::string& decimal, std::optional<bool> unit_line) {
  DatasetOptions options = options_of(roles);
  set_classes(classes, options);
  set_kinds(kinds, options);
  options.format.missing = missing;
  options.format.header = header;
  options.format.unit_line = unit_line;
  if (!delimiter.empty()) options.format.delimiter = delimiter.front();
  if (!decimal.empty()) options.format.decimal = decimal.front();
  Names warnings;
  Dataset dataset = unlocked([&] {
    auto table = data::open_table(path, options.format, is_text ? data::FileKind::text : data::FileKind::any);
    const auto rows = data::open_rows(path, std::move(table), options);
    Dataset read = data::read_dataset(*rows);
    warnings = rows->warnings();
    return read;
  });
  return nb::make_tuple(std::move(dataset), std::move(warnings));
}

/// Delimited text without a header; `source` is what sentences call it.
Dataset from_text(const nb::bytes& text, const std::string& source, const std::string& target) {
  const DatasetOptions options{.targets = {target}, .format = {.header = false}};
  const std::string_view view(text.c_str(), text.size());
  return unlocked([&] {
    auto bytes = std::make_unique<data::ByteSource>(view, source);
    auto table = std::make_unique<data::CsvReader>(std::move(bytes), options.format);
    return data::read_dataset(*data::open_rows(source, std::move(table), options));
  });
}

/// The paper's simulated problems: rows, and the regression function there.
nb::typed<nb::tuple, Dataset, NumpyArray> simulate(const std::string& problem, std::size_t rows, std::uint64_t seed) {
  base::require(problem == "figure1" || problem == "figure2", ErrorCode::usage,
                "there is no simulated problem {}, expected figure1 or figure2", base::quoted(problem));
  SimulatedData made = problem == "figure1" ? figure1_problem(rows, seed) : figure2_problem(rows, seed);
  return nb::make_tuple(std::move(made.data), to_array(std::move(made.truth)));
}

/// Mean and standard deviation of each column, as fits standardise them.
nb::typed<nb::tuple, NumpyArray, NumpyArray> standardising_scale(const Array2& values) {
  data::Scaler scaler = data::standardising_scaler(view_of(values), {});
  return nb::make_tuple(to_array(std::move(scaler.shift)), to_array(std::move(scaler.scale)));
}

Texts levels_of(const Dataset& rows) {
  Texts levels;
  for (const data::Column& input : rows.schema().inputs) levels.push_back(input.levels);
  return levels;
}

/// Whether somebody gave the kind of each input.
std::vector<int> wanted_inputs(const Dataset& rows) {
  std::vector<int> wanted;
  for (const data::Column& input : rows.schema().inputs) wanted.push_back(input.is_wanted ? 1 : 0);
  return wanted;
}

std::optional<NumpyArray> weights_of(const nb::object& self) {
  const auto& dataset = nb::cast<const Dataset&>(self);
  if (dataset.weights().empty()) return std::nullopt;
  return shared_array(dataset.weights().data(), {dataset.rows()}, self);
}

/// Groups or times.
std::optional<NumpyArray> labels_of(const nb::object& self, std::span<const double> (Dataset::*labels)() const) {
  const std::span<const double> values = (nb::cast<const Dataset&>(self).*labels)();
  if (values.empty()) return std::nullopt;
  return shared_array(values.data(), {values.size()}, self);
}

/// Numbers that stand for texts, as those of a column of groups in a file.
NumpyArray word_numbers(const Names& words) {
  std::vector<double> numbers;
  for (const std::string& word : words) numbers.push_back(data::word_number(word));
  return to_array(std::move(numbers));
}

/// Seconds since 1970-01-01; NaN for a text that is no date, or that has a zone where the first has none.
NumpyArray date_seconds(const Names& texts) {
  std::vector<double> seconds;
  std::optional<bool> has_zone;
  for (const std::string& text : texts) {
    const std::optional<data::Date> date = data::read_date(base::trim(text));
    const bool fits = date && date->has_zone == has_zone.value_or(date->has_zone);
    seconds.push_back(fits ? date->seconds : std::numeric_limits<double>::quiet_NaN());
    if (date && !has_zone) has_zone = date->has_zone;
  }
  return to_array(std::move(seconds));
}

std::optional<NumpyArray> noise_of(const nb::object& self) {
  const auto& dataset = nb::cast<const Dataset&>(self);
  if (dataset.noise_std().empty()) return std::nullopt;
  return shared_array(dataset.noise_std(), self);
}

}  // namespace

void register_dataset(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Dataset>(module, "Dataset", "Rows of inputs and targets.")
      .def_static("from_arrays", &from_arrays, "inputs"_a.noconvert(), "input_names"_a, "targets"_a.noconvert(),
                  "arrays"_a.noconvert(), "names"_a, "input_units"_a, "target_units"_a, "input_columns"_a,
                  "target_columns"_a, "table_columns"_a, "kinds"_a, "allows_missing"_a, "missing"_a, "classes"_a)
      .def_static("from_parts", &from_parts, "inputs"_a, "targets"_a, "task"_a, "classes"_a, "has_counts"_a,
                  "arrays"_a.noconvert(), "names"_a, "target_units"_a, "table_columns"_a, "kinds"_a)
      .def_static("from_table", &from_table, "table"_a, "roles"_a, "classes"_a, "kinds"_a, "missing"_a)
      .def_static("from_file", &from_file, "path"_a, "is_text"_a, "roles"_a, "classes"_a, "kinds"_a, "missing"_a,
                  "header"_a.none(), "delimiter"_a, "decimal"_a, "unit_line"_a.none())
      .def_static("from_text", &from_text, "text"_a, "source"_a, "target"_a)
      .def_prop_ro("rows", &Dataset::rows)
      .def_prop_ro(
          "inputs",
          [](nb::handle_t<Dataset> self) { return shared_array(nb::cast<const Dataset&>(self).inputs(), self); })
      .def_prop_ro(
          "targets",
          [](nb::handle_t<Dataset> self) { return shared_array(nb::cast<const Dataset&>(self).targets(), self); })
      .def_prop_ro("weights", [](nb::handle_t<Dataset> self) { return weights_of(nb::borrow(self)); })
      .def_prop_ro("noise_std", [](nb::handle_t<Dataset> self) { return noise_of(nb::borrow(self)); })
      .def_prop_ro("groups", [](nb::handle_t<Dataset> self) { return labels_of(nb::borrow(self), &Dataset::groups); })
      .def_prop_ro("times", [](nb::handle_t<Dataset> self) { return labels_of(nb::borrow(self), &Dataset::times); })
      .def_prop_ro("group_name", &Dataset::group_name)
      .def_prop_ro("time_name", &Dataset::time_name)
      .def_prop_ro("input_names", &Dataset::input_names)
      .def_prop_ro("target_names", &Dataset::target_names)
      .def_prop_ro("input_units", [](const Dataset& dataset) { return data::units_of(dataset.schema().inputs); })
      .def_prop_ro("target_units", [](const Dataset& dataset) { return data::units_of(dataset.schema().targets); })
      .def_prop_ro("task", [](const Dataset& rows) { return std::string(base::name_of(rows.task())); })
      .def_prop_ro("classes", &Dataset::classes)
      .def_prop_ro("given_classes", [](const Dataset& rows) { return rows.schema().classes; })
      .def_prop_ro("target_levels", [](const Dataset& rows) { return rows.schema().targets.front().levels; })
      .def_prop_ro("has_number_classes", [](const Dataset& rows) { return has_number_classes(rows.schema()); })
      .def_prop_ro("weight_name", &Dataset::weight_name)
      .def_prop_ro("noise_names", &Dataset::noise_names)
      .def_prop_ro("input_columns", &Dataset::input_columns)
      .def_prop_ro("target_columns", &Dataset::target_columns)
      .def_prop_ro("table_columns", &Dataset::table_columns)
      .def_prop_ro("input_kinds", [](const Dataset& rows) { return kind_names(rows.schema()); })
      .def_prop_ro("input_levels", &levels_of)
      .def_prop_ro("wanted_inputs", &wanted_inputs)
      .def_prop_ro("input_zones", [](const Dataset& rows) { return zones_of(rows.schema()); })
      .def_prop_ro("allows_missing", [](const Dataset& rows) { return rows.schema().allows_missing; })
      .def_prop_ro("missing", [](const Dataset& rows) { return rows.schema().missing; })
      .def(
          "inputs_of",
          [](const Dataset& rows, const Ensemble& ensemble) {
            return to_array(unlocked([&] { return ensemble.inputs_of(rows); }));
          },
          "ensemble"_a, "The columns that the ensemble was trained on.")
      .def(
          "rows_with_targets", [](const Dataset& rows) { return data::rows_with_targets(rows.targets()); },
          "Numbers of the rows that have all their targets.")
      .def("fingerprint", &Dataset::fingerprint, nb::call_guard<nb::gil_scoped_release>())
      .def("select", [](const Dataset& dataset, const std::vector<std::size_t>& rows) { return dataset.select(rows); })
      .def("split", [](const Dataset& dataset, double test_fraction, std::uint64_t seed) {
        return dataset.split({.test_fraction = test_fraction, .seed = seed});
      });

  module.def("left_out_sentence", &data::left_out_sentence, "left_out"_a, "rows"_a);
  module.def("word_numbers", &word_numbers, "words"_a);
  module.def("date_seconds", &date_seconds, "texts"_a);
  module.def("simulate", &simulate, "problem"_a, "rows"_a, "seed"_a);
  module.def("standardising_scale", &standardising_scale, "values"_a.noconvert());
}

}  // namespace credens::python
