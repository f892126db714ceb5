// SPDX-License-Identifier: Apache-2.0
//
// Uncertainty budgets (JCGM 100) and coverage intervals (JCGM 101) of predictions.

#pragma once

#include <credens/conformity.hpp>
#include <credens/matrix.hpp>
#include <credens/predictive.hpp>

#include <string>
#include <vector>

namespace credens {

struct BudgetOptions {
  double level = 0.95;                    ///< coverage probability
  Measurand of = Measurand::observation;  ///< of the function: a budget without noise
  int threads = 0;                        ///< 0: all cores
};

/// One part of the uncertainty of each row and output.
struct Contribution {
  std::string name;  ///< noise, between members, within members, inputs, input a
  Matrix std;        ///< [N x q]: standard uncertainty
  /// Whether its square is a part of the total's; false for single inputs, which are parts of `inputs`.
  bool adds_up = true;
};

struct Budget {
  Matrix mean;
  std::vector<Contribution> contributions;
  Matrix total_std;        ///< combined standard uncertainty u
  Matrix coverage_factor;  ///< k = U / u
  Matrix expanded;         ///< U: mean +- U holds the value with probability `level` under the exact mixture
  Interval symmetric;      ///< probabilistically symmetric
  Interval shortest;
};

std::vector<Contribution> contributions(const Predictive& predictive, Measurand of = Measurand::observation);

Budget budget(const Predictive& predictive, const BudgetOptions& options = {});

/// The shortest interval that holds a value with probability `level`.
Interval shortest_interval(const Predictive& predictive, double level, Measurand of = Measurand::observation,
                           int threads = 0);

}  // namespace credens
