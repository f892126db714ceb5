// SPDX-License-Identifier: Apache-2.0

#include "cli/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/files.hpp"
#include "cli/print.hpp"
#include "math/kernels.hpp"
#include "model/class_labels.hpp"
#include "model/ensemble_state.hpp"
#include "model/member_source.hpp"
#include "model/names.hpp"
#include "model/weights.hpp"

namespace credens::cli {

namespace {

Matrix truth_of(const Ensemble& ensemble, const Rows& rows, const std::vector<std::string>& columns) {
  if (columns.empty()) return {};
  base::require(columns.size() == ensemble.outputs(), ErrorCode::usage,
                "--truth gives {} columns, expected {}, one per output", columns.size(), ensemble.outputs());
  const Matrix truth = data::select_columns(*rows.block.table, columns);
  return rows.block.kept.empty() ? truth : data::select_rows(truth, rows.block.kept);
}

/// `--noise-std COL[,COL]`
void noise_option(Arguments& arguments, data::GivenColumns& columns) {
  columns_option(
      arguments, "--noise-std", columns.noise_std,
      "Columns with the known standard deviation of each row's noise, if named differently than in training");
}

}  // namespace

std::vector<std::string> all_columns(const data::Table& table) {
  std::vector<std::string> columns = table.names;
  for (std::size_t col = columns.size(); col < table.cols(); ++col) columns.push_back(std::to_string(col));
  return columns;
}

void row_arguments(Arguments& arguments, RowArguments& rows) {
  arguments.file("MODEL", rows.model, "A model written by `credens fit` or `credens widen`");
  arguments.file("DATA", rows.data, "Table of rows: text, also compressed, or .npy; - is standard input").required =
      false;
  arguments.group("Rows");
  arguments.option("--outputs", "DIR", rows.outputs, "Folder with the members' arrays, in place of DATA");
  noise_option(arguments, rows.columns);
  format_options(arguments, rows.format);
}

void target_option(Arguments& arguments, data::GivenColumns& columns) {
  columns_option(arguments, "--target", columns.target, "Target columns, if named differently than in training");
}

void train_options(Arguments& arguments, RowArguments& rows) {
  target_option(arguments, rows.columns);
  column_option(arguments, "--weight", rows.columns.weight, "Column of row weights, the same as for `fit`");
  noise_option(arguments, rows.columns);
  format_options(arguments, rows.format);
}

void check_arguments(const RowArguments& arguments) {
  base::require(arguments.data.empty() != arguments.outputs.empty(), ErrorCode::usage, "{}",
                arguments.data.empty() ? "DATA is missing: give a table, or --outputs with a folder of arrays"
                                       : "both DATA and --outputs are given, expected one of them");
  if (!arguments.outputs.empty()) {
    base::require(arguments.columns.noise_std.empty(), ErrorCode::usage,
                  "--noise-std names columns, but --outputs gives arrays");
    base::require(arguments.columns.weight.empty(), ErrorCode::usage,
                  "--weight names a column, but --outputs gives arrays");
    base::require(arguments.columns.target.empty(), ErrorCode::usage,
                  "--target names columns, but --outputs gives arrays");
    base::require(!arguments.uncertain.is_given(), ErrorCode::usage,
                  "uncertain inputs are given, but --outputs gives arrays");
  }
  check_arguments(arguments.uncertain);
  check_standard_input({{"MODEL", arguments.model}, {"DATA", arguments.data}});
}

std::unique_ptr<data::RowSource> open_rows(const Ensemble& ensemble, const RowArguments& arguments,
                                           data::Targets targets, data::Passes passes) {
  const model::EnsembleState& state = ensemble.state();
  base::require(ensemble.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks: give --outputs in place of DATA", arguments.model);
  check_table_kind(arguments.data,
                   fmt::format("credens.load(\"{}\").predict(\"{}\")", arguments.model, arguments.data));
  std::unique_ptr<data::RowPortions> portions =
      data::open_table(arguments.data, arguments.format, state.schema, passes);
  const data::Table header = portions->header();
  print_warnings(header.warnings);
  return data::open_rows_for(arguments.data, std::move(portions), state.schema,
                             {.columns = arguments.columns,
                              .targets = targets,
                              .keep = arguments.keeps_all ? all_columns(header) : arguments.keep,
                              .target_scale = state.target_scaler.scale,
                              .reads_new_classes = true,
                              .passes = passes});
}

RowStream::RowStream(const Ensemble& ensemble, const RowArguments& arguments, data::Targets targets,
                     data::Passes passes)
    : ensemble_(ensemble),
      folder_(arguments.outputs),
      targets_wanted_(targets),
      new_words_(ensemble.state().schema) {
  if (arguments.uncertain.is_given()) uncertain_.emplace(arguments.uncertain, ensemble, arguments.model);
  if (folder_.empty()) {
    table_ = open_rows(ensemble, arguments, targets, passes);
  } else {
    arrays_.emplace(folder_);
  }
  if (targets_wanted_ == data::Targets::if_there) {
    targets_wanted_ = target_is_there() ? data::Targets::needed : data::Targets::unused;
  }
}

bool RowStream::target_is_there() const {
  if (!table_) return arrays_->has_targets();
  return table_->schema().targets.front().position.has_value();
}

const Rows* RowStream::next() {
  if (arrays_) return next_arrays();
  if (next_part_ < whole_.rows()) return next_part();
  do {
    if (!table_->next(block_.block)) {
      print_warnings(table_->warnings());
      warn_of_missing_targets();
      if (passes_++ == 0) new_words_.warn();
      return nullptr;
    }
    if (targets_wanted_ == data::Targets::needed) complete_.take(block_.block);
    if (passes_ == 0) new_words_.count(block_.block.inputs);
  } while (block_.block.rows() == 0);
  if (!uncertain_) return &block_;
  whole_ = block_.block;
  next_part_ = 0;
  return next_part();
}

/// Rows with uncertain inputs come a few at a time: each has as many components as draws times members.
const Rows* RowStream::next_part() {
  constexpr std::size_t rows_of_part = 128;
  const std::size_t count = std::min(rows_of_part, whole_.rows() - next_part_);
  part_rows_.clear();
  for (std::size_t i = 0; i < count; ++i) part_rows_.push_back(whole_.table_row(next_part_ + i));
  block_.block = data::part_of(whole_, next_part_, count);
  block_.block.first_row = whole_.first_row;  // rows of the part are told by their rows of the table
  block_.block.table = whole_.table;
  block_.block.file = whole_.file;
  block_.block.kept = part_rows_;
  next_part_ += count;
  return &block_;
}

void RowStream::warn_of_missing_targets() {
  if (complete_.left_out() == 0 || std::exchange(has_warned_, true)) return;
  print_error("credens: warning: " + data::left_out_sentence(complete_.left_out(), complete_.rows()));
}

/// A word that the model does not know has a code beyond those of its levels.
void NewWords::count(MatrixView inputs) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (schema_.inputs[i].kind != ColumnKind::category) continue;
    const auto known = static_cast<double>(schema_.inputs[i].levels.size());
    for (std::size_t row = 0; row < inputs.rows(); ++row) rows_[i] += inputs(row, i) >= known ? 1 : 0;
  }
}

void NewWords::forget() {
  std::ranges::fill(rows_, std::size_t{0});
}

void NewWords::warn() const {
  const std::vector<std::string> labels = data::labels_of(schema_.inputs);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] == 0) continue;
    print_error(fmt::format("credens: warning: {} holds words that the model was not trained on, in {}", labels[i],
                            data::count_of(rows_[i], "row")));
  }
}

/// A folder without rows is one block of none, so that whoever reads it learns its shapes.
const Rows* RowStream::next_arrays() {
  const std::size_t first = next_row_;
  if (first > 0 && first >= arrays_->rows()) return nullptr;
  block_.arrays = arrays_->read(first, arrays_->block_rows());
  next_row_ = first + std::max<std::size_t>(1, block_.count());
  if (targets_wanted_ == data::Targets::needed) {
    base::require(!block_.arrays->targets.empty(), ErrorCode::data, "{}: no targets.npy", folder_);
    take_targets();
  }
  block_.block = {.first_row = first, .targets = targets_, .weights = block_.arrays->row_weights};
  return &block_;
}

/// In the units of the data; counts of classes become shares and weights.
void RowStream::take_targets() {
  MemberOutputs& arrays = *block_.arrays;
  model::check_fit(ensemble_.state(), arrays);
  if (!arrays.has_classes()) {
    targets_ = data::unscaled(ensemble_.state().target_scaler, arrays.targets);
    return;
  }
  model::WeightedLabels labelled = model::weighted_labels(arrays.targets, arrays.row_weights);
  targets_ = std::move(labelled.labels);
  arrays.row_weights = std::move(labelled.weights);
}

const data::Schema& RowStream::schema() const {
  return table_ ? table_->schema() : ensemble_.state().schema;
}

void RowStream::rewind() {
  next_row_ = 0;
  whole_ = {};
  next_part_ = 0;
  new_words_.forget();
  if (table_) table_->rewind();
}

Predictive RowStream::predict() const {
  if (block_.arrays) return ensemble_.predict(*block_.arrays);
  try {
    const PredictOptions options{.noise_std = block_.block.noise_std};
    const auto uncertain = uncertain_inputs();
    if (!uncertain) return ensemble_.predict(block_.block.inputs, options);
    return credens::predict(ensemble_, block_.block.inputs, *uncertain, uncertain_->options(), options);
  } catch (const Error&) {
    check_range();
    throw;
  }
}

std::optional<UncertainInputs> RowStream::uncertain_inputs() const {
  if (!uncertain_) return std::nullopt;
  return uncertain_->at(block_.block);
}

ClassPredictive RowStream::predict_classes(bool classical) const {
  if (block_.arrays) return ensemble_.predict_classes(*block_.arrays, {.classical = classical});
  try {
    return ensemble_.predict_classes(block_.block.inputs, {.classical = classical});
  } catch (const Error&) {
    check_range();
    throw;
  }
}

void RowStream::check_range() const {
  if (table_) cli::check_range(ensemble_, table_->schema(), block_.block);
}

void check_range(const Ensemble& ensemble, const data::Schema& schema, const data::RowBlock& block) {
  const data::Encoder& encoder = ensemble.state().encoder;
  base::AlignedVector<float> room(math::padded(encoder.width()));
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const MatrixView inputs = block.inputs.row_block(row, 1);
    if (data::encode(encoder, inputs, room.data(), room.size()).in_range) continue;
    const std::size_t col = data::refused_cell(encoder, inputs).second;
    base::fail(ErrorCode::data, "{}: {} is too far from the training data for a network in single precision",
               data::place_of(*block.table, block.table_row(row), *schema.inputs[col].position), inputs(0, col));
  }
}

void warn_unless_trained_on(const Ensemble& ensemble, const std::string& fingerprint, const std::string& data,
                            const std::string& model) {
  if (fingerprint == ensemble.state().data.fingerprint) return;
  print_error(fmt::format("credens: warning: {} does not hold the rows, weights and noise that {} was made from",
                          data == "-" ? "standard input" : data, model == "-" ? "standard input" : model));
}

void comparison_arguments(Arguments& arguments, ComparisonArguments& comparison) {
  row_arguments(arguments, comparison);
  uncertain_arguments(arguments, comparison.uncertain);
  arguments.group("Rows");
  target_option(arguments, comparison.columns);
  columns_option(arguments, "--truth", comparison.truth, "Columns with noise-free values, one per output");
  column_option(arguments, "--weight", comparison.columns.weight, "Column of row weights");
  arguments.group("Scores");
  arguments.option("--level", "P", comparison.interval.level, "Probability of the intervals", probability());
  arguments.option("--interval", "KIND", comparison.interval.kind,
                   "gaussian: mean +- z standard deviations; mixture: central quantiles of the exact mixture",
                   one_of<IntervalKind>());
}

void check_arguments(const ComparisonArguments& arguments) {
  check_arguments(static_cast<const RowArguments&>(arguments));
  base::require(arguments.outputs.empty() || arguments.truth.empty(), ErrorCode::usage,
                "--truth names columns, but --outputs gives arrays");
}

double largest_weight(RowStream& stream) {
  model::RowWeights weights;
  if (!stream.may_have_weights()) return weights.largest();
  while (const Rows* rows = stream.next()) {
    if (rows->block.weights.empty()) break;
    weights.add(rows->block.weights);
  }
  return weights.largest();
}

void for_observations(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
                      const std::function<void(const scoring::Observations&)>& take,
                      const std::function<bool(std::size_t, const Rows&)>& wants) {
  stream.rewind();
  std::size_t number = 0;
  while (const Rows* rows = stream.next()) {
    if (!wants(number++, *rows)) continue;
    const Matrix truth = truth_of(ensemble, *rows, arguments.truth);
    const Predictive predictive = stream.predict();
    take({.predictive = predictive, .targets = rows->block.targets, .weights = rows->block.weights, .truth = truth});
  }
}

}  // namespace credens::cli
