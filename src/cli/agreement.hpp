// SPDX-License-Identifier: Apache-2.0
//
// Ranks of a team read the same files, or what they add up is of no table at all.

#pragma once

#include <credens/ensemble.hpp>
#include <credens/matrix.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "base/team.hpp"
#include "cli/rows.hpp"

namespace credens::cli {

/// All ranks come here with what they found in a file, as many things, such as "5000 rows". Where one has found
/// something else than rank 0, rank 0 throws data with a sentence that names it and its machine; the others throw it
/// when they next wait.
void check_agreement(base::Team& team, std::string_view file, const std::vector<std::string>& found);

/// The same for a model that all have loaded.
void check_same_model(base::Team& team, std::string_view file, const Ensemble& ensemble);

/// Tells tables apart, and other arrays that are read a block at a time.
class RowDigest {
 public:
  void add(const Rows& rows);
  const std::string& digits() const { return digits_; }

 private:
  void add(MatrixView values);

  std::string digits_;
};

}  // namespace credens::cli
