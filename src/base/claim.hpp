// SPDX-License-Identifier: Apache-2.0
//
// One writer at a time: a lock that dies with its process.

#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.hpp"

namespace credens::base {

/// Keeps other processes from writing a file or folder while this one does: they find the lock of a file beside it. It
/// is gone with the claim; what a killed process leaves holds nobody off and goes with the next claim of the same path.
/// Where files cannot be made or locked, there is no claim and nobody is kept out.
class Claim {
 public:
  explicit Claim(const std::filesystem::path& path);  ///< throws usage where another claim holds
  Claim(Claim&&) noexcept = default;
  ~Claim();

 private:
  std::string name_;
  Descriptor file_;
};

}  // namespace credens::base
