// SPDX-License-Identifier: Apache-2.0

#include <credens/version.hpp>

#include <nlohmann/json.hpp>

#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "math/kernels.hpp"

namespace credens::cli {

namespace {

struct VersionArguments {
  bool json = false;
};

std::string compiler() {
#ifdef __clang__
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

void declare(Arguments& arguments, VersionArguments& version) {
  arguments.toggle("--json", version.json, "Print JSON");
}

void run(const VersionArguments& arguments) {
  if (arguments.json) {
    print_json(Json{{"version", version()}, {"compiler", compiler()}, {"kernels", math::kernel_target()}});
  } else {
    print(fmt::format("credens {} ({}, kernels for {})\n", version(), compiler(), math::kernel_target()));
  }
}

}  // namespace

Verb version_verb() {
  return make_verb<VersionArguments>("version", "prints the version of Credens", {"credens version --json"}, declare,
                                     run);
}

}  // namespace credens::cli
