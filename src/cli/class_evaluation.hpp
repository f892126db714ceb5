// SPDX-License-Identifier: Apache-2.0
//
// `evaluate` for models that predict classes.

#pragma once

#include <credens/class_score.hpp>

#include <string>

#include "cli/rows.hpp"
#include "data/classes.hpp"
#include "data/row_sketch.hpp"
#include "report/class_comparison.hpp"

namespace credens::cli {

/// Flags of `evaluate` that concern classes.
struct ClassArguments {
  std::string foreign = {};  ///< a table of rows that belong to no class
  RiskOrder risk_order = RiskOrder::confidence;
};

void class_arguments(Arguments& arguments, ClassArguments& classes);

/// Throws usage for flags that the model's task does not have.
void check_task(const ComparisonArguments& arguments, const ClassArguments& classes, Task task);

/// Numbers of the classes that the targets of a block stand for, [n x 1], or its shares. Throws data, with the place in
/// the table, for a class that the model does not know.
Matrix class_targets(const data::Classes& classes, const data::Schema& schema, const data::RowBlock& block);

/// The model beside the classical ensemble. Ranks take blocks in turn; the result is rank 0's.
report::ClassComparison compare_classes(const Ensemble& ensemble, RowStream& stream,
                                        const ComparisonArguments& arguments, const ClassArguments& classes,
                                        data::SharedRows& trained_on);

}  // namespace credens::cli
