// SPDX-License-Identifier: Apache-2.0

#include "cli/class_evaluation.hpp"

#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "cli/files.hpp"
#include "cli/team.hpp"
#include "data/kinds.hpp"
#include "model/ensemble_state.hpp"

namespace credens::base {

template <>
struct EnumNames<RiskOrder> {
  static constexpr std::string_view what = "order of rows";
  static constexpr std::pair<RiskOrder, std::string_view> entries[] = {{RiskOrder::confidence, "confidence"},
                                                                       {RiskOrder::epistemic, "epistemic"}};
};

}  // namespace credens::base

namespace credens::cli {

void foreign_argument(Arguments& arguments, ClassArguments& classes) {
  arguments.group("Classes");
  arguments.option(
      "--foreign", "TABLE", classes.foreign,
      "Rows that belong to none of the classes, a table or a folder of arrays: how well are they told from "
      "those of DATA?");
}

void class_arguments(Arguments& arguments, ClassArguments& classes) {
  foreign_argument(arguments, classes);
  arguments.option("--by", "NAME", classes.risk_order,
                   "Sort rows by the largest probability (confidence) or by ignorance (epistemic), the surest first, "
                   "for the area under the risk curve",
                   one_of<RiskOrder>());
}

void check_task(const ComparisonArguments& arguments, const ClassArguments& classes, Task task) {
  constexpr scoring::IntervalOptions none;
  const std::pair<std::string_view, bool> of_numbers[] = {{"--level", arguments.interval.level != none.level},
                                                          {"--interval", arguments.interval.kind != none.kind},
                                                          {"--truth", !arguments.truth.empty()},
                                                          {"--noise-std", !arguments.columns.noise_std.empty()}};
  const std::pair<std::string_view, bool> of_classes[] = {{"--foreign", !classes.foreign.empty()},
                                                          {"--by", classes.risk_order != RiskOrder::confidence}};
  for (const auto& [flag, is_given] : of_numbers) {
    base::require(!is_given || task == Task::regression, ErrorCode::usage,
                  "{} is for models that predict numbers; {} predicts classes", flag, arguments.model);
  }
  for (const auto& [flag, is_given] : of_classes) {
    base::require(!is_given || task == Task::classification, ErrorCode::usage,
                  "{} is for models that predict classes; {} predicts numbers", flag, arguments.model);
  }
}

namespace {

/// The label of a row as its table has it.
std::string label_text(const data::Column& target, const data::RowBlock& block, double label) {
  if (target.kind != ColumnKind::category || block.file == nullptr) return data::shortest_text(label);
  return base::quoted(block.file->levels(*target.position).at(static_cast<std::size_t>(label)));
}

}  // namespace

Matrix class_targets(const data::Classes& classes, const data::Schema& schema, const data::RowBlock& block) {
  Matrix targets(block.targets.rows(), block.targets.cols());
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    std::ranges::copy(block.targets.row(row), targets.row(row).begin());
    if (targets.cols() != 1 || block.table == nullptr || std::isnan(targets(row, 0))) continue;
    const auto number = classes.class_of(targets(row, 0));
    if (!number) {
      base::fail(ErrorCode::data, "{}: {} is a class that the training rows did not have, expected one of {}",
                 data::place_of(*block.table, block.table_row(row), *schema.targets.front().position),
                 label_text(schema.targets.front(), block, targets(row, 0)), base::join(classes.names(), ", "));
    }
    targets(row, 0) = static_cast<double>(*number);
  }
  return targets;
}

namespace {

/// Calls take(rows) for the blocks of a stream that this rank works on; meet() whenever each rank has had one.
template <class Take, class Meet>
void deal_blocks(RowStream& stream, const Take& take, const Meet& meet) {
  std::size_t number = 0;
  stream.rewind();
  for (const Rows* rows = stream.next(); rows != nullptr; rows = stream.next(), ++number) {
    if (number > 0 && number % team().size() == 0) meet();
    take(*rows, number % team().size() == team().rank());
  }
  meet();
}

/// The extended ensemble beside the classical one, at the last block of a stream.
template <class Use>
auto with_predictions(const RowStream& stream, const Use& use) {
  const ClassPredictive classical = stream.predict_classes(true);
  const ClassPredictive extended = stream.predict_classes();
  return use(report::ClassPredictions{classical, extended});
}

/// How the foreign rows are read: as those of DATA. Of their columns only the inputs matter.
RowArguments foreign_rows(const ComparisonArguments& arguments, const std::string& file) {
  RowArguments foreign = arguments;
  const bool is_folder = std::filesystem::is_directory(file);
  foreign.data = is_folder ? "" : file;
  foreign.outputs = is_folder ? file : "";
  foreign.columns = {};
  foreign.keep.clear();
  return foreign;
}

void add_foreign_rows(const Ensemble& ensemble, const ComparisonArguments& arguments, const std::string& file,
                      report::ClassComparer& comparer) {
  RowStream stream(ensemble, foreign_rows(arguments, file), data::Targets::unused);
  std::string own;
  const auto meet = [&] {
    team().collect(std::exchange(own, {}), [&](std::string_view block) {
      if (!block.empty()) comparer.add_scored_foreign(block);
    });
  };
  deal_blocks(
      stream,
      [&](const Rows&, bool is_own) {
        if (!is_own) return;
        own = with_predictions(stream, [&](const auto& rows) { return comparer.scored_foreign(rows); });
      },
      meet);
}

}  // namespace

report::ClassComparison compare_classes(const Ensemble& ensemble, RowStream& stream,
                                        const ComparisonArguments& arguments, const ClassArguments& classes,
                                        data::SharedRows& trained_on) {
  const std::string& file = arguments.outputs.empty() ? arguments.data : arguments.outputs;
  check_same_model(team(), arguments.model, ensemble);
  if (!team().is_alone()) check_agreement(team(), file, {fmt::format("{} rows", stream.count_rows())});
  report::ClassComparer comparer(ensemble.outputs(), {.risk_order = classes.risk_order,
                                                      .has_foreign = !classes.foreign.empty(),
                                                      .largest_weight = largest_weight(stream)});
  const data::Classes known(ensemble.state().schema);
  std::string own;
  const auto meet = [&] {
    team().collect(std::exchange(own, {}), [&](std::string_view block) {
      if (!block.empty()) comparer.add_scored(block);
    });
  };
  deal_blocks(
      stream,
      [&](const Rows& rows, bool is_own) {
        trained_on.add(rows.block);
        if (!is_own) return;
        const Matrix targets = class_targets(known, stream.schema(), rows.block);
        own = with_predictions(stream,
                               [&](const auto& both) { return comparer.scored(both, targets, rows.block.weights); });
      },
      meet);
  if (!classes.foreign.empty()) add_foreign_rows(ensemble, arguments, classes.foreign, comparer);
  if (!team().leads()) return {};
  report::ClassComparison comparison = comparer.comparison();
  comparison.training_share = trained_on.share();
  return comparison;
}

report::ClassReport report_classes(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
                                   const ClassArguments& classes) {
  report::ClassReport judged(ensemble, {.has_targets = stream.has_targets(),
                                        .has_foreign = !classes.foreign.empty(),
                                        .largest_weight = largest_weight(stream)});
  const data::Classes known(ensemble.state().schema);
  data::SharedRows trained_on(ensemble.state().row_hashes);
  stream.rewind();
  while (const Rows* rows = stream.next()) {
    Matrix targets;
    if (stream.has_targets()) {
      trained_on.add(rows->block);
      targets = class_targets(known, stream.schema(), rows->block);
    }
    with_predictions(stream, [&](const auto& both) { judged.add(both, targets, rows->block.weights); });
  }
  judged.set_training_share(trained_on.share());
  if (classes.foreign.empty()) return judged;
  RowStream foreign(ensemble, foreign_rows(arguments, classes.foreign), data::Targets::unused);
  while (foreign.next() != nullptr) {
    with_predictions(foreign, [&](const auto& both) { judged.add_foreign(both); });
  }
  return judged;
}

}  // namespace credens::cli
