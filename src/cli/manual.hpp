// SPDX-License-Identifier: Apache-2.0
//
// Man pages of the program and its verbs, made from what the verbs declare, in the macros of man(7).

#pragma once

#include <span>
#include <string>

#include "cli/verbs.hpp"

namespace credens::cli {

/// credens(1): the verbs, the exit status, where to read on.
std::string manual_of_program(std::span<const Verb> verbs);

/// credens-NAME(1): what `credens NAME --help` says.
std::string manual_of(const Verb& verb);

}  // namespace credens::cli
