// SPDX-License-Identifier: Apache-2.0

#include "report/assets.hpp"

#include <cstddef>

#define CREDENS_ASSET(name)                         \
  extern "C" {                                      \
  extern const char credens_asset_##name##_begin[]; \
  extern const char credens_asset_##name##_end[];   \
  }

CREDENS_ASSET(style)
CREDENS_ASSET(script)
CREDENS_ASSET(vega)
CREDENS_ASSET(vega_lite)
CREDENS_ASSET(vega_embed)
CREDENS_ASSET(notices)

namespace credens::report {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Development tools would look for the file that the last comment of a minified script names, and complain.
std::string_view without_source_map(std::string_view script) {
  return script.substr(0, script.rfind("//# sourceMappingURL="));
}

}  // namespace

ChartScripts chart_scripts() {
  return {
      .vega = without_source_map(between(credens_asset_vega_begin, credens_asset_vega_end)),
      .vega_lite = without_source_map(between(credens_asset_vega_lite_begin, credens_asset_vega_lite_end)),
      .vega_embed = without_source_map(between(credens_asset_vega_embed_begin, credens_asset_vega_embed_end)),
      .notices = between(credens_asset_notices_begin, credens_asset_notices_end),
  };
}

std::string_view page_style() {
  return between(credens_asset_style_begin, credens_asset_style_end);
}

std::string_view page_script() {
  return between(credens_asset_script_begin, credens_asset_script_end);
}

}  // namespace credens::report
