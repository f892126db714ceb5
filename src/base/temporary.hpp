// SPDX-License-Identifier: Apache-2.0
//
// Files that stand beside a result while it is written. Their writer holds a lock on them, which tells them from what
// a killed writer left.

#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace credens::base {

/// Whether a file of this name is one that a killed writer may have left.
bool is_temporary(std::string_view name);

/// A name in the folder that no other file of this process has.
std::string temporary_name(const std::string& folder);

struct TemporaryFile {
  std::string name;
  Descriptor file;  ///< not open where it could not be made; errno says why
};

/// A new file in the folder, with the permissions that the umask leaves, locked where files can be locked.
TemporaryFile make_temporary(const std::string& folder);

/// Removes what killed writers left in the folder. Where files cannot be locked, nobody can tell what is left from what
/// is being written, and nothing is removed.
void remove_remains(const std::string& folder);

}  // namespace credens::base
