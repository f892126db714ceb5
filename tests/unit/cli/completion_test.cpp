// SPDX-License-Identifier: Apache-2.0

#include "cli/completion.hpp"

#include <credens/widen.hpp>

#include <gmock/gmock.h>

#include "cli/manual.hpp"
#include "model/names.hpp"

namespace credens::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Brewed {
  std::string file;
  std::string output;
  std::string columns;
  std::string folder;
  std::size_t count = 3;
  PosteriorKind posterior = PosteriorKind::full;
  bool hot = false;
};

void declare(Arguments& arguments, Brewed& brewed) {
  arguments.file("TABLE", brewed.file, "The table");
  arguments.option("-o,--output", "OUT", brewed.output, "Don't spill: where it goes").required = true;
  arguments.option("--column", "COL", brewed.columns, "A [wide] column");
  arguments.option("--folder", "DIR", brewed.folder, "A folder");
  arguments.option("--count", "COUNT", brewed.count, "How many");
  arguments.option("--posterior", "KIND", brewed.posterior, "Which; one of some");
  arguments.add({.names = "--lambda", .value = "NUMBER|evidence", .help = ".5 or \\ more"});
  arguments.add({.names = "--hot", .help = "Hot", .has_opposite = true});
}

void run(const Brewed&) {}

std::vector<Verb> verbs() {
  return {make_verb<Brewed>("brew", "brews; it's fast", {"credens brew this -o that"}, declare, run)};
}

TEST(BashCompletion, HasACaseForEachOptionWithAValue) {
  const std::string text = bash_completion(verbs());
  EXPECT_THAT(text, HasSubstr("*:verb) words='brew\n--help\n--version' ;;"));
  EXPECT_THAT(
      text, HasSubstr("options='-o\n--output\n--column\n--folder\n--count\n--posterior\n--lambda\n--hot\n--no-hot\n"));
  EXPECT_THAT(text, HasSubstr("-o|--output) kind=-f ;;"));
  EXPECT_THAT(text, HasSubstr("--column) words=$(_credens_columns) ;;"));
  EXPECT_THAT(text, HasSubstr("--folder) kind=-d ;;"));
  EXPECT_THAT(text, HasSubstr("--count) kind=none ;;"));
  EXPECT_THAT(text, HasSubstr("--posterior) words='delta\nisotropic\ndiagonal\nfull' ;;"));
  EXPECT_THAT(text, HasSubstr("--lambda) words='evidence' ;;"));
  EXPECT_THAT(text, Not(HasSubstr("--hot) ")));
}

TEST(ZshCompletion, EscapesWhatEndsAField) {
  const std::string text = zsh_completion(verbs());
  EXPECT_THAT(text, HasSubstr("'brew:brews; it'\\''s fast'\n"));
  EXPECT_THAT(text, HasSubstr("'1:TABLE:_files' \\\n"));
  EXPECT_THAT(text, HasSubstr("'-o+[Don'\\''t spill]:OUT:_files' \\\n"));
  EXPECT_THAT(text, HasSubstr("'--column=[A \\[wide\\] column]:COL:_credens_columns' \\\n"));
  EXPECT_THAT(text, HasSubstr("'--folder=[A folder]:DIR:_files -/' \\\n"));
  EXPECT_THAT(text, HasSubstr("'--posterior=[Which]:KIND:(delta isotropic diagonal full)' \\\n"));
  EXPECT_THAT(text, HasSubstr("'--no-hot[Hot]' \\\n"));
}

TEST(FishCompletion, HasALineForEachName) {
  const std::string text = fish_completion(verbs());
  const std::string start = "complete -c credens -n '__fish_seen_subcommand_from brew' ";
  EXPECT_THAT(text, HasSubstr("complete -c credens -n __fish_use_subcommand -a brew -d 'brews; it\\'s fast'\n"));
  EXPECT_THAT(text, HasSubstr(start + "-s o -r -F -d 'Don\\'t spill'\n"));
  EXPECT_THAT(text, HasSubstr(start + "-l column -x -a '(__fish_credens_columns)' -d 'A [wide] column'\n"));
  EXPECT_THAT(text, HasSubstr(start + "-l count -x -d 'How many'\n"));
  EXPECT_THAT(text, HasSubstr(start + "-l posterior -x -a 'delta isotropic diagonal full' -d 'Which'\n"));
  EXPECT_THAT(text, HasSubstr(start + "-l hot -d 'Hot'\n"));
}

TEST(Manual, HasWhatHelpSays) {
  const std::string page = manual_of(verbs().front());
  EXPECT_THAT(page, HasSubstr(".TH CREDENS\\-BREW 1 "));
  EXPECT_THAT(page,
              HasSubstr("credens\\-brew \\- brews; it's fast\n.SH SYNOPSIS\ncredens brew TABLE \\-o OUT [options]\n"));
  EXPECT_THAT(
      page, HasSubstr(".TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIOUT\\fR\nDon't spill: where it goes (required)\n"));
  EXPECT_THAT(page, HasSubstr("\\fIKIND\\fR\nWhich; one of some (default full)\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&.5 or \\e more\n"));  // no macro, no escape
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-hot\\fR, \\fB\\-\\-no\\-hot\\fR\nHot\n"));
  EXPECT_THAT(page, HasSubstr(".SH EXAMPLE\n.EX\ncredens brew this \\-o that\n.EE\n"));
}

TEST(Manual, OfTheProgramListsVerbsAndExitStatuses) {
  const std::string page = manual_of_program(verbs());
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBbrew\\fR\nbrews; it's fast\n"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fB130\\fR\ninterrupted;"));
  EXPECT_THAT(page, HasSubstr(".SH SEE ALSO\n\\fBcredens\\-brew\\fR(1)\n"));
}

}  // namespace
}  // namespace credens::cli
