// SPDX-License-Identifier: Apache-2.0
//
// The UCI regression benchmark: public data sets with splits that everybody uses, so that results can be compared.
//
// In a folder of data: `uci-benchmark/SET/data.txt` (also compressed) with `train_index.txt` and `test_index.txt`,
// whose line K holds the 0-based rows of split K; the same two files in `uci-gap/SET` for the gap splits, in which the
// middle third of one input is held back; and `airfoil/airfoil.csv`, which is split at random.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/split.hpp"
#include "study/real_data.hpp"

namespace credens::study {

struct UciSet {
  std::string name;               ///< on the command line and in results
  std::string file;               ///< below a folder of data
  std::string gap_folder = {};    ///< with gap splits, below a folder of data; empty: there are none
  std::size_t inputs = 0;         ///< the first columns; the target is the next one
  std::size_t random_splits = 0;  ///< > 0: so many random ones, with a fifth held back and a standardised target
};

/// From the smallest to the largest.
const std::vector<UciSet>& uci_sets();
const UciSet& uci_set(std::string_view name);  ///< throws usage, with the nearest name

inline constexpr const char* standard_series = "standard";
inline constexpr const char* gap_series = "gap";

/// A set with its splits.
class UciRows {
 public:
  UciRows(UciSet set, Dataset data, std::vector<data::SplitRows> standard, std::vector<data::SplitRows> gap);

  const UciSet& set() const { return set_; }
  std::size_t splits(const std::string& series) const { return of(series).size(); }

  /// A standardised target has mean 0 and standard deviation 1 in the training part.
  Parts parts(const std::string& series, std::size_t split) const;

 private:
  const std::vector<data::SplitRows>& of(const std::string& series) const;

  UciSet set_;
  Dataset data_;
  std::vector<data::SplitRows> standard_;
  std::vector<data::SplitRows> gap_;
};

/// From the first of data::data_folders() that has the set; nothing where none has. Gap splits may be absent. Throws
/// data for splits that name rows which are not there, or one row twice.
std::shared_ptr<const UciRows> find_uci_rows(const UciSet& set, const std::filesystem::path& explicit_folder);

}  // namespace credens::study
