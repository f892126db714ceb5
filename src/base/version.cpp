// SPDX-License-Identifier: Apache-2.0

#include <credens/version.hpp>

namespace credens {

std::string_view version() {
  return CREDENS_PROJECT_VERSION;
}

}  // namespace credens
