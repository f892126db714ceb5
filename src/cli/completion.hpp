// SPDX-License-Identifier: Apache-2.0
//
// Completions for shells, made from what the verbs declare: verbs, options, the values of options that have few, the
// columns of a table's header, files and folders.

#pragma once

#include <span>
#include <string>

#include "cli/verbs.hpp"

namespace credens::cli {

std::string bash_completion(std::span<const Verb> verbs);
std::string zsh_completion(std::span<const Verb> verbs);
std::string fish_completion(std::span<const Verb> verbs);

}  // namespace credens::cli
