// SPDX-License-Identifier: Apache-2.0
//
// A folder of finished members, one file each, so that an interrupted fit can go on.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/ensemble_state.hpp"

namespace credens::store {

/// What members must have in common to belong together.
struct FitIdentity {
  base::OptionValues options;  ///< those that determine the result
  model::DataSummary data;
  std::string version;  ///< of Credens
};

class Checkpoint {
 public:
  Checkpoint(std::filesystem::path folder, FitIdentity identity);

  /// The members found, ascending. An absent or empty folder has none. Throws usage where they were made with other
  /// data or options (naming the first difference), model where a file is damaged.
  std::vector<model::Member> load() const;

  void save(const model::Member& member) const;  ///< atomic; makes the folder
  void remove() const;                           ///< the files of this checkpoint, then the folder if it is empty
  bool exists() const;                           ///< whether the folder holds finished members

 private:
  std::filesystem::path folder_;
  FitIdentity identity_;
};

}  // namespace credens::store
