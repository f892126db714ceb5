// SPDX-License-Identifier: Apache-2.0
//
// The UCI benchmark as runs: every split is one fit, scored at the rows that were held back.

#pragma once

#include <credens/fit.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "study/run.hpp"
#include "study/uci_data.hpp"

namespace credens::study {

inline constexpr const char* uci_experiment = "uci";

/// Splits `first` to `end` - 1 of a series, as far as there are so many.
struct SplitRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Each trains with `options` on the training part of its split and measures, classical and extended: `rmse`, `nll`,
/// `nll_gaussian`, `crps`, `total_coverage`, `epistemic_coverage`; of the extended ensemble also `nll_gain`, how much
/// lower its NLL is than the classical one's, `members` (those that were kept) and `seconds` (of training and
/// widening). Their own numbers of members differ, so that of the keys is left at 0.
std::vector<Run> uci_runs(const std::shared_ptr<const UciRows>& rows, const std::string& series, SplitRange splits,
                          const FitOptions& options);

/// Gives each result of the benchmark the mean number of members, rounded, in place of 0.
void fill_members(std::vector<Result>& results);

/// What others report for a set with the same splits.
struct UciPublished {
  const char* data;
  double best_rmse;  ///< of any method
  double best_nll;
  const char* source;
  std::optional<double> ensembles_rmse;  ///< deep ensembles of five networks, Lakshminarayanan et al. (2017)
  std::optional<double> ensembles_nll;
};

const UciPublished* uci_published(const std::string& data);  ///< null: nothing is known

}  // namespace credens::study
