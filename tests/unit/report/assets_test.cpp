// SPDX-License-Identifier: Apache-2.0

#include "report/assets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace credens::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Assets, StyleAndScriptAreAlwaysThere) {
  EXPECT_THAT(std::string(page_style()), HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(std::string(page_script()), HasSubstr("vegaEmbed"));
}

TEST(Assets, ChartScriptsAreAllThereOrNone) {
  const ChartScripts scripts = chart_scripts();
  for (const std::string_view part : {scripts.vega, scripts.vega_lite, scripts.vega_embed, scripts.notices}) {
    EXPECT_EQ(part.empty(), !scripts.available());
  }
}

TEST(Assets, NothingInThemCanEndItsElement) {
  const ChartScripts scripts = chart_scripts();
  for (const std::string_view script : {scripts.vega, scripts.vega_lite, scripts.vega_embed, page_script()}) {
    EXPECT_THAT(std::string(script), Not(HasSubstr("</script")));
    EXPECT_THAT(std::string(script), Not(HasSubstr("<!--")));
    EXPECT_THAT(std::string(script), Not(HasSubstr("sourceMappingURL")));
  }
  EXPECT_THAT(std::string(scripts.notices), Not(HasSubstr("*/")));
  EXPECT_THAT(std::string(page_style()), Not(HasSubstr("</style")));
}

TEST(Assets, StyleFetchesNothing) {
  EXPECT_THAT(std::string(page_style()), Not(HasSubstr("url(")));
  EXPECT_THAT(std::string(page_style()), Not(HasSubstr("@import")));
}

}  // namespace
}  // namespace credens::report
