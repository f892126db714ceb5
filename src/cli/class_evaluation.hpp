// SPDX-License-Identifier: Apache-2.0
//
// `evaluate` and `report` for models that predict classes.

#pragma once

#include <credens/class_score.hpp>

#include <string>

#include "cli/rows.hpp"
#include "data/classes.hpp"
#include "data/row_sketch.hpp"
#include "report/class_comparison.hpp"
#include "report/class_page.hpp"

namespace credens::cli {

/// Flags of `evaluate` and `report` that concern classes.
struct ClassArguments {
  std::string foreign = {};  ///< a table or an outputs folder of rows that belong to no class
  RiskOrder risk_order = RiskOrder::confidence;
};

void foreign_argument(Arguments& arguments, ClassArguments& classes);
void class_arguments(Arguments& arguments, ClassArguments& classes);

/// Throws usage for flags that the model's task does not have.
void check_task(const ComparisonArguments& arguments, const ClassArguments& classes, Task task);

/// Numbers of the classes that the targets of a table's block stand for, [n x 1], or its shares; missing ones stay, and
/// so do those of arrays, which are such numbers. Throws data, with the place in the table, for a class that the model
/// does not know.
Matrix class_targets(const data::Classes& classes, const data::Schema& schema, const data::RowBlock& block);

/// The model beside the classical ensemble. Ranks take blocks in turn; the result is rank 0's.
report::ClassComparison compare_classes(const Ensemble& ensemble, RowStream& stream,
                                        const ComparisonArguments& arguments, const ClassArguments& classes,
                                        data::SharedRows& trained_on);

/// Both sides at the rows of a stream, as the page of `report` shows them. Its share of training rows is set.
report::ClassReport report_classes(const Ensemble& ensemble, RowStream& stream, const ComparisonArguments& arguments,
                                   const ClassArguments& classes);

}  // namespace credens::cli
