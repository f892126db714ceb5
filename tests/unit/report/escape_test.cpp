// SPDX-License-Identifier: Apache-2.0

#include "report/escape.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

namespace credens::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HtmlText, EscapesEverythingThatCouldLeaveItsPlace) {
  EXPECT_EQ(html_text("<b a=\"1\" c='2'>&amp;</b>"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
}

TEST(HtmlText, LeavesOtherAlphabetsAlone) {
  EXPECT_EQ(html_text("größe µ 温度 🙂"), "größe µ 温度 🙂");
}

TEST(HtmlText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(html_text("caf\xE9 au lait"), "caf\uFFFD au lait");
}

RC_GTEST_PROP(HtmlText, HoldsNoMarkupWhateverTheBytes, (const std::string& bytes)) {
  RC_ASSERT(html_text(bytes).find_first_of("<>\"'") == std::string::npos);
}

TEST(ScriptJson, CannotEndItsElement) {
  const std::string text = script_json({{"</script><script>alert(1)</script>", "<!-- <script"}});
  EXPECT_THAT(text, Not(HasSubstr("<")));
}

TEST(ScriptJson, WritesWhatIsNotFiniteAsNull) {
  EXPECT_EQ(script_json({std::numeric_limits<double>::quiet_NaN(), 1.5}), "[null,1.5]");
}

TEST(ScriptJson, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(script_json("\xFF"), "\"\uFFFD\"");
}

RC_GTEST_PROP(ScriptJson, ReadsBackAsTheSameText, ()) {
  std::string text;
  for (const char letter : *rc::gen::string<std::string>()) text += static_cast<char>(letter & 0x7F);
  RC_ASSERT(nlohmann::json::parse(script_json(text)).get<std::string>() == text);
}

}  // namespace
}  // namespace credens::report
