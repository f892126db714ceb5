// SPDX-License-Identifier: Apache-2.0

#include "cli/class_evaluation.hpp"

#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "cli/files.hpp"
#include "cli/team.hpp"
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

void class_arguments(Arguments& arguments, ClassArguments& classes) {
  arguments.group("Classes");
  arguments.option("--foreign", "TABLE", classes.foreign,
                   "Rows that belong to none of the classes: how well are they told from those of DATA?");
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

Matrix class_targets(const data::Classes& classes, const data::Schema& schema, const data::RowBlock& block) {
  Matrix targets(block.targets.rows(), block.targets.cols());
  for (std::size_t row = 0; row < targets.rows(); ++row) {
    std::ranges::copy(block.targets.row(row), targets.row(row).begin());
    if (targets.cols() != 1) continue;
    const auto number = classes.class_of(targets(row, 0));
    if (!number) {
      base::fail(ErrorCode::data, "{}: a class that the training rows did not have, expected one of {}",
                 block.table == nullptr ? fmt::format("row {}", block.first_row + row)
                                        : data::place_of(*block.table, row, *schema.targets.front().position),
                 base::join(classes.names(), ", "));
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
std::string with_predictions(const RowStream& stream, const Use& use) {
  const ClassPredictive classical = stream.predict_classes(true);
  const ClassPredictive extended = stream.predict_classes();
  return use(report::ClassPredictions{classical, extended});
}

void add_foreign_rows(const Ensemble& ensemble, const ComparisonArguments& arguments, const std::string& file,
                      report::ClassComparer& comparer) {
  RowArguments foreign = arguments;
  foreign.data = file;
  RowStream stream(ensemble, foreign, data::Targets::unused);
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

}  // namespace credens::cli
