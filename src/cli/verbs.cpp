// SPDX-License-Identifier: Apache-2.0

#include "cli/verbs.hpp"

namespace credens::cli {

std::vector<Verb> all_verbs() {
  return {version_verb()};
}

}  // namespace credens::cli
