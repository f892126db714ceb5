// SPDX-License-Identifier: Apache-2.0
//
// A folder of finished members, one file each, so that an interrupted fit can go on.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/ensemble_state.hpp"

namespace credens::store {

/// Options, data and version: members with the same belong together.
struct FitIdentity {
  base::OptionValues options;  ///< those that determine the result
  model::DataSummary data;
  std::string version;  ///< of Credens
};

/// A member as the bytes of its file, and back; `index` is that of the member expected. Throws as Checkpoint does.
std::string encode_member(const model::Member& member, const FitIdentity& identity);
model::Member decode_member(std::string_view bytes, std::size_t index, const FitIdentity& identity);

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
