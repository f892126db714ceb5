// SPDX-License-Identifier: Apache-2.0

#include "cli/verbs.hpp"

#include <gmock/gmock.h>

namespace credens::cli {
namespace {

struct Nothing {
  std::string file;
  std::string output;
  std::size_t count = 3;
};

void declare(Arguments& arguments, Nothing& nothing) {
  arguments.file("FILE", nothing.file, "The file");
  arguments.option("-o,--output", "OUT", nothing.output, "The result").required = true;
  arguments.group("More");
  arguments.option("--a-very-long-name-of-an-option", "COUNT", nothing.count, "How many");
}

void run(const Nothing&) {}

TEST(HelpOf, ShowsUsageGroupsDefaultsAndExample) {
  const Verb verb = make_verb<Nothing>("try", "tries", {"credens try this -o that"}, declare, run);
  EXPECT_EQ(help_of(verb),
            "try: tries.\n\n"
            "Usage: credens try FILE -o OUT [options]\n\n"
            "Files:\n"
            "  FILE                            The file\n\n"
            "Options:\n"
            "  -o, --output OUT                The result (required)\n\n"
            "More:\n"
            "  --a-very-long-name-of-an-option COUNT\n"
            "                                  How many (default 3)\n\n"
            "Example:\n"
            "  credens try this -o that\n");
}

TEST(AllVerbs, HaveDistinctNamesAndExamplesThatUseThem) {
  std::vector<std::string> names;
  for (const Verb& verb : all_verbs()) {
    EXPECT_THAT(names, testing::Not(testing::Contains(verb.name)));
    EXPECT_THAT(verb.example, testing::Contains(testing::StartsWith("credens " + verb.name))) << verb.name;
    names.push_back(verb.name);
  }
}

}  // namespace
}  // namespace credens::cli
