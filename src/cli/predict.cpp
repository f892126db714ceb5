// SPDX-License-Identifier: Apache-2.0

#include <credens/guarantee.hpp>
#include <credens/store.hpp>
#include <credens/trust.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "base/bytes.hpp"
#include "base/file.hpp"
#include "cli/conformity.hpp"
#include "cli/files.hpp"
#include "cli/kept.hpp"
#include "cli/prediction_table.hpp"
#include "cli/promised_rows.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "data/npy.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"

namespace credens::cli {

namespace {

struct PredictArguments : RowArguments {
  PredictionOptions options;
  ConformityArguments conformity;
  std::string output = "-";
  std::string joint;
};

void declare(Arguments& arguments, PredictArguments& predict) {
  row_arguments(arguments, predict);
  uncertain_arguments(arguments, predict.uncertain);
  arguments.group("Result");
  arguments.option("-o,--output", "OUT", predict.output,
                   "CSV file, or array if the name ends with .npy; - is standard output");
  columns_option(arguments, "--keep", predict.keep, "Columns of DATA to copy in front of the predictions");
  arguments.option("--joint", "OUT.npy", predict.joint,
                   "Also write the epistemic covariance between rows, [outputs, rows, rows]");
  arguments.toggle("--std", predict.options.class_std,
                   "Of classes: also write the epistemic standard deviation of each probability");
  arguments.group("Intervals");
  arguments.option("--level", "P", predict.options.level, "Probability of the intervals; 0.95 if not given",
                   probability());
  arguments.option("--coverage-factor", "K", predict.options.coverage_factor,
                   "Intervals mean +- K standard deviations, in place of a level", positive_number());
  arguments.option("--interval", "KIND", predict.options.interval,
                   "gaussian: mean +- z standard deviations; mixture: central quantiles of the exact mixture; guaranteed: "
                   "promised by the rows of `credens calibrate`; guaranteed-joint: of all outputs at once",
                   one_of<WrittenInterval>());
  arguments.option("--quantiles", "P,..", predict.options.quantiles,
                   "Also write the quantiles of the exact mixture at these probabilities", probabilities());
  arguments.toggle("--trust", predict.options.trust,
                   "Also write the share of calibration rows whose inputs are as strange as those of the row");
  conformity_arguments(arguments, predict.conformity);
}

std::filesystem::path plain_path(const std::string& path) {
  std::error_code none;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none);
}

void check_joint(const PredictArguments& arguments) {
  base::require(!is_standard_output(arguments.joint) || !is_standard_output(arguments.output), ErrorCode::usage,
                "predictions and --joint both go to standard output, expected at most one of them");
  check_array("--joint", arguments.joint);
  base::require(is_stream(arguments.joint) || plain_path(arguments.joint) != plain_path(arguments.output),
                ErrorCode::usage, "predictions and --joint both go to {}, expected two names", arguments.joint);
}

bool is_guaranteed(const PredictionOptions& options) {
  return options.interval == WrittenInterval::guaranteed || options.interval == WrittenInterval::guaranteed_joint;
}

void check(const PredictArguments& arguments) {
  check_arguments(arguments);
  base::require(!arguments.options.level || !arguments.options.coverage_factor, ErrorCode::usage,
                "both --level and --coverage-factor are given, expected one of them");
  base::require(!arguments.options.coverage_factor || arguments.options.interval == WrittenInterval::gaussian,
                ErrorCode::usage, "--coverage-factor needs gaussian intervals, but --interval is {}",
                base::name_of(arguments.options.interval));
  base::require(arguments.keep.empty() || arguments.outputs.empty(), ErrorCode::usage,
                "--keep names columns, but --outputs gives arrays");
  base::require(!arguments.options.trust || arguments.outputs.empty(), ErrorCode::usage,
                "--trust compares inputs, but --outputs gives arrays");
  check_arguments(arguments.conformity);
  base::require(arguments.joint.empty() || !arguments.uncertain.is_given(), ErrorCode::usage,
                "--joint is the covariance at inputs that are exact, but uncertain inputs are given");
  base::require(!is_guaranteed(arguments.options) || !arguments.uncertain.is_given(), ErrorCode::usage,
                "guaranteed intervals are promised at inputs that are exact, but uncertain inputs are given");
  check_not_archive("-o", arguments.output);
  check_not_foreign("-o", arguments.output);
  if (!arguments.joint.empty()) check_joint(arguments);
  check_not_input(arguments.output, {arguments.model, arguments.data});
  check_not_input(arguments.joint, {arguments.model, arguments.data});
}

/// Throws usage for flags that the model's task does not have.
void check_task(const PredictArguments& arguments, Task task) {
  const PredictionOptions& options = arguments.options;
  const std::pair<std::string_view, bool> of_numbers[] = {{"--level", options.level.has_value()},
                                                          {"--coverage-factor", options.coverage_factor.has_value()},
                                                          {"--interval", options.interval != WrittenInterval::gaussian},
                                                          {"--quantiles", !options.quantiles.empty()},
                                                          {"--trust", options.trust},
                                                          {"--lower-limit", !arguments.conformity.lower.empty()},
                                                          {"--upper-limit", !arguments.conformity.upper.empty()},
                                                          {"--noise-std", !arguments.columns.noise_std.empty()},
                                                          {"--joint", !arguments.joint.empty()}};
  for (const auto& [flag, is_given] : of_numbers) {
    base::require(!is_given || task == Task::regression, ErrorCode::usage,
                  "{} is for models that predict numbers; {} predicts classes", flag, arguments.model);
  }
  base::require(!options.class_std || task == Task::classification, ErrorCode::usage,
                "--std is for models that predict classes; {} predicts numbers", arguments.model);
}

std::vector<Matrix> joint_covariance(const Ensemble& ensemble, RowStream& stream, const std::string& folder) {
  if (!folder.empty()) return ensemble.joint_epistemic_covariance(load_outputs(folder).outputs);
  Matrix inputs(stream.count_rows(), ensemble.inputs());
  std::size_t filled = 0;
  stream.rewind();
  while (const Rows* rows = stream.next()) {
    stream.check_range();
    for (std::size_t row = 0; row < rows->count(); ++row) {
      std::ranges::copy(rows->block.inputs.row(row), inputs.row(filled++).begin());
    }
  }
  return ensemble.joint_epistemic_covariance(inputs);
}

/// The array of --joint. Its file is opened and its values are found before a prediction is written: both can fail.
class JointArray {
 public:
  /// The next block of `stream` is the first again.
  JointArray(const Ensemble& ensemble, RowStream& stream, const PredictArguments& arguments)
      : file_(arguments.joint), rows_(stream.count_rows()) {
    const auto count = static_cast<double>(rows_);
    check_memory(2 * count * count * static_cast<double>(ensemble.outputs()),
                 fmt::format("the joint covariance of {} rows", rows_));
    values_ = joint_covariance(ensemble, stream, arguments.outputs);
    stream.rewind();
  }

  void write() {
    file_.write(data::npy_header({values_.size(), rows_, rows_}));
    for (const Matrix& matrix : values_) file_.write(base::bytes_of(matrix.values()));
    file_.flush();
  }
  void commit() { file_.commit(); }

 private:
  base::OutputFile file_;
  std::size_t rows_;
  std::vector<Matrix> values_;
};

std::vector<WrittenColumn> kept_columns(const Rows& rows, const PredictArguments& arguments) {
  std::vector<std::string> names;
  std::vector<WrittenColumn> columns;
  for (const std::string& column : arguments.keep) {
    names.push_back(kept_heading(*rows.block.table, column));
    columns.push_back({names.back()});
  }
  const auto twins = data::first_duplicate(names);
  base::require(!twins, ErrorCode::usage, "--keep names column {} twice",
                twins ? base::quoted(names[twins->first]) : "");
  return columns;
}

bool keeps_words(const Rows& rows, const PredictArguments& arguments) {
  const bool has_words = std::ranges::any_of(arguments.keep, [&](const std::string& column) {
    const std::size_t col = data::find_column(*rows.block.table, column);
    const bool is_number = rows.block.file->kind(col) == ColumnKind::number;
    return !is_number || data::first_fault(rows.block.table->missing, {&col, 1}) != nullptr;
  });
  base::require(!has_words || !is_array_file(arguments.output), ErrorCode::usage,
                "--keep names a column of words, dates or missing cells, which an array cannot hold: write a CSV file");
  return has_words;
}

Matrix kept_values(const Rows& rows, const std::vector<std::string>& columns) {
  Matrix values = data::select_columns(*rows.block.table, columns);
  return rows.block.kept.empty() ? std::move(values) : data::select_rows(values, rows.block.kept);
}

/// Some rows as they are written: kept columns, as numbers or as cells, and what is predicted.
struct WrittenRows {
  std::vector<WrittenColumn> columns = {};
  Matrix kept = {};
  std::vector<std::string> cells = {};
  Matrix values = {};
};

std::optional<Interval> promised_interval(const Ensemble& ensemble, const Predictive& predictive, const Rows& rows,
                                          const PredictionOptions& options) {
  if (!is_guaranteed(options)) return std::nullopt;
  const std::vector<std::string> names =
      ensemble.promise() ? group_names(rows, *ensemble.promise()) : std::vector<std::string>();
  const bool is_joint = options.interval == WrittenInterval::guaranteed_joint;
  return (is_joint ? guaranteed_joint_interval : guaranteed_interval)(ensemble, predictive, options.level.value_or(0.95),
                                                                      names);
}

/// All outputs of a row have the same trust.
Quantity trust_of(const TrustJudge& judge, MatrixView inputs, std::size_t outputs) {
  const RowTrust trust = judge.judge(inputs);
  Quantity quantity{.name = "trust", .values = Matrix(inputs.rows(), outputs), .has_unit = false};
  for (std::size_t row = 0; row < inputs.rows(); ++row) {
    std::ranges::fill(quantity.values.row(row), trust.trust[row]);
  }
  return quantity;
}

void predict_numbers(const Ensemble& ensemble, const RowStream& stream, const Rows& rows,
                     const PredictArguments& arguments, const TrustJudge* judge, WrittenRows& written) {
  const Predictive predictive = stream.predict();
  std::vector<Quantity> quantities = quantities_of(
      predictive, arguments.options, promised_interval(ensemble, predictive, rows, arguments.options));
  if (judge) quantities.push_back(trust_of(*judge, rows.block.inputs, ensemble.outputs()));
  if (arguments.conformity.is_given()) {
    const auto limits = limits_of(arguments.conformity, ensemble.state().schema.targets);
    std::ranges::move(conformity_quantities(predictive, arguments.conformity, limits), std::back_inserter(quantities));
  }
  std::ranges::copy(prediction_columns(ensemble.state().schema.targets, quantities),
                    std::back_inserter(written.columns));
  written.values = prediction_values(quantities);
}

void predict_classes(const Ensemble& ensemble, const RowStream& stream, const PredictArguments& arguments,
                     WrittenRows& written) {
  std::ranges::copy(class_columns(ensemble.state().schema, arguments.options), std::back_inserter(written.columns));
  written.values = class_values(stream.predict_classes(), arguments.options);
}

WrittenRows written_rows(const Ensemble& ensemble, const RowStream& stream, const Rows& rows,
                         const PredictArguments& arguments, const TrustJudge* judge) {
  WrittenRows written{.columns = kept_columns(rows, arguments)};
  const bool has_words = keeps_words(rows, arguments);
  written.kept = arguments.keep.empty() || has_words ? Matrix(rows.count(), 0) : kept_values(rows, arguments.keep);
  if (has_words) written.cells = kept_cells(rows, arguments.keep);
  if (ensemble.task() == Task::classification) {
    predict_classes(ensemble, stream, arguments, written);
  } else {
    predict_numbers(ensemble, stream, rows, arguments, judge, written);
  }
  return written;
}

/// A table that does not fit is refused before anything is written. What has come by then is written before more is
/// waited for.
void write_predictions(const Ensemble& ensemble, RowStream& stream, const PredictArguments& arguments) {
  std::optional<JointArray> joint;
  if (!arguments.joint.empty()) joint.emplace(ensemble, stream, arguments);
  std::optional<TableWriter> writer;
  std::optional<TrustJudge> judge;
  if (arguments.options.trust) judge.emplace(ensemble);
  while (const Rows* rows = stream.next()) {
    const WrittenRows written = written_rows(ensemble, stream, *rows, arguments, judge ? &*judge : nullptr);
    if (!writer) {
      writer.emplace(arguments.output, written.columns, is_array_file(arguments.output) ? stream.count_rows() : 0,
                     rows->block.table ? rows->block.table->decimal : '.');
    }
    const MatrixView parts[] = {written.kept, written.values};
    writer->write(parts, written.cells);
  }
  if (joint) joint->write();
  writer->commit();
  if (joint) joint->commit();
}

/// The column by which intervals are promised is read too.
RowArguments read_arguments(const Ensemble& ensemble, const PredictArguments& arguments) {
  RowArguments read = arguments;
  const bool has_column = is_guaranteed(arguments.options) && ensemble.promise() && !ensemble.promise()->column.empty();
  if (has_column) read.keep.push_back(ensemble.promise()->column);
  return read;
}

void run(const PredictArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  check_task(arguments, ensemble.task());
  const bool in_one_pass = arguments.joint.empty() && !is_array_file(arguments.output);
  RowStream stream(ensemble, read_arguments(ensemble, arguments), data::Targets::unused, in_one_pass ? data::Passes::one : data::Passes::many);
  write_predictions(ensemble, stream, arguments);
}

}  // namespace

Verb predict_verb() {
  return make_verb<PredictArguments>("predict", "predicts new rows, with uncertainties",
                                     {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
                                      "credens predict model.safetensors test.csv --level 0.9 -o predictions.csv"},
                                     declare, run);
}

}  // namespace credens::cli
