// SPDX-License-Identifier: Apache-2.0
//
// The one exception of Credens. Its code decides the exit status of the command line.

#pragma once

#include <stdexcept>
#include <string>

namespace credens {

enum class ErrorCode {
  failure = 1,        ///< anything without a code of its own
  usage = 2,          ///< options that are wrong, or that contradict the data or each other
  data = 3,           ///< a table or array that cannot be used, also a column that is not there
  model = 4,          ///< a model file, part or checkpoint that is damaged or foreign
  io = 5,             ///< absent, unreadable, unwritable, a directory, a full disk
  numerical = 6,      ///< training diverged, a matrix is not positive definite
  interrupted = 130,  ///< stopped by the user
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& sentence) : std::runtime_error(sentence), code_(code) {}

  ErrorCode code() const noexcept { return code_; }
  int exit_status() const noexcept { return static_cast<int>(code_); }

 private:
  ErrorCode code_;
};

}  // namespace credens
