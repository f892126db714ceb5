// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments.hpp"

#include <gmock/gmock.h>

namespace credens::cli {
namespace {

using testing::ElementsAre;

struct Values {
  std::string model;
  std::string data;
  std::vector<std::string> parts;
  std::string target;
  std::string output = "-";
  double level = 0.95;
  std::optional<double> factor;
  bool json = false;
  bool bias = true;
};

Arguments example(Values& values) {
  Arguments arguments;
  arguments.file("MODEL", values.model, "The model");
  arguments.file("DATA", values.data, "The rows").required = false;
  arguments.option("--target", "COL", values.target, "A column");
  arguments.option("-o,--output", "OUT", values.output, "The result");
  arguments.option("--level", "P", values.level, "A level", probability());
  arguments.option("--factor", "K", values.factor, "A factor", positive_number());
  arguments.toggle("--json", values.json, "JSON");
  arguments.add({.names = "--bias", .help = "Bias", .has_opposite = true, .set = [&values](const std::string& text) {
                   values.bias = text == "true";
                 }});
  return arguments;
}

Values parsed(const std::vector<std::string>& words) {
  Values values;
  EXPECT_TRUE(example(values).parse(words));
  return values;
}

std::string complaint(const std::vector<std::string>& words) {
  Values values;
  try {
    example(values).parse(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "none";
}

TEST(Arguments, FillsFilesByPositionAndOptionsByName) {
  const Values values = parsed({"m", "--target", "y", "d", "-o", "out", "--level=0.5", "--json", "--factor", "2"});
  EXPECT_EQ(values.model, "m");
  EXPECT_EQ(values.data, "d");
  EXPECT_EQ(values.target, "y");
  EXPECT_EQ(values.output, "out");
  EXPECT_EQ(values.level, 0.5);
  EXPECT_EQ(values.factor, 2);
  EXPECT_TRUE(values.json);
}

TEST(Arguments, KeepsDefaultsOfWhatIsNotGiven) {
  const Values values = parsed({"m"});
  EXPECT_EQ(values.data, "");
  EXPECT_EQ(values.output, "-");
  EXPECT_EQ(values.level, 0.95);
  EXPECT_FALSE(values.factor.has_value());
  EXPECT_TRUE(values.bias);
}

TEST(Arguments, TakesNegativeNumbersAndADashAsValues) {
  EXPECT_EQ(parsed({"m", "--target", "-1"}).target, "-1");
  EXPECT_EQ(parsed({"m", "-o", "-"}).output, "-");
  EXPECT_EQ(parsed({"-"}).model, "-");
}

TEST(Arguments, TakesWordsAfterTwoDashesAsFiles) {
  EXPECT_EQ(parsed({"--", "--odd-name"}).model, "--odd-name");
}

TEST(Arguments, TakesBracketsInNamesOfFilesLiterally) {
  EXPECT_EQ(parsed({"[m].st", "--target", "[a,b]"}).model, "[m].st");
  EXPECT_EQ(parsed({"[m].st", "--target", "[a,b]"}).target, "[a,b]");
}

TEST(Arguments, TakesAValueAttachedToItsOption) {
  EXPECT_EQ(parsed({"m", "-oout"}).output, "out");
  EXPECT_EQ(parsed({"m", "--target=a=b"}).target, "a=b");
  EXPECT_TRUE(parsed({"m", "--json=true"}).json);
}

TEST(Arguments, KnowsTheOppositeOfASwitch) {
  EXPECT_TRUE(parsed({"m", "--bias"}).bias);
  EXPECT_FALSE(parsed({"m", "--no-bias"}).bias);
}

TEST(Arguments, CollectsRepeatedFiles) {
  Values values;
  Arguments arguments;
  arguments.files("PART", values.parts, "Parts");
  EXPECT_TRUE(arguments.parse(std::vector<std::string>{"a", "b", "c"}));
  EXPECT_THAT(values.parts, ElementsAre("a", "b", "c"));
}

TEST(Arguments, TakesARepeatedOptionAnyNumberOfTimes) {
  std::vector<std::string> values;
  std::string file;
  Arguments arguments;
  arguments.file("FILE", file, "A file");
  arguments.add({.names = "--set", .value = "A=B", .repeated = true, .set = [&](const std::string& text) {
                   values.push_back(text);
                 }});
  EXPECT_TRUE(arguments.parse(std::vector<std::string>{"--set", "a=1", "table.csv", "--set", "b=2"}));
  EXPECT_EQ(values, (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(file, "table.csv") << "an option takes one word each time";
}

TEST(Arguments, StopsForHelpBeforeAnythingIsChecked) {
  Values values;
  EXPECT_FALSE(example(values).parse(std::vector<std::string>{"--help", "--level", "7"}));
  EXPECT_EQ(values.level, 0.95);
}

TEST(Arguments, SaysWhatIsUnknownMissingOrTooMuch) {
  EXPECT_EQ(complaint({"m", "--targt", "y"}), "unknown option --targt; did you mean --target?");
  EXPECT_EQ(complaint({"m", "--targt=y"}), "unknown option --targt; did you mean --target?");
  EXPECT_EQ(complaint({"m", "-x"}), "unknown option -x");
  EXPECT_EQ(complaint({}), "MODEL is missing: the model");
  EXPECT_EQ(complaint({"m", "d", "more"}), "unexpected argument \"more\"");
  EXPECT_EQ(complaint({"m", "--target"}), "--target needs a value");
  EXPECT_EQ(complaint({"m", "--target="}), "--target needs a value");
  EXPECT_EQ(complaint({"m", "--target", "--json"}), "--target needs a value, found --json");
  EXPECT_EQ(complaint({"m", "--target", "a", "--target", "b"}), "--target is given 2 times");
  EXPECT_EQ(complaint({"m", "--json=3"}), "--json takes no value");
  EXPECT_EQ(complaint({"m", "--no-bias=true"}), "--no-bias takes no value");
}

TEST(Arguments, SaysWhatAValueShouldBe) {
  EXPECT_EQ(complaint({"m", "--level", "2"}), "--level is \"2\", expected a number between 0 and 1");
  EXPECT_EQ(complaint({"m", "--level", "high"}), "--level is \"high\", expected a number between 0 and 1");
  EXPECT_EQ(complaint({"m", "--factor", "nan"}), "--factor is \"nan\", expected a number above 0");
}

TEST(Arguments, NeedsNothingElseBesideASwitchThatLiftsRequirements) {
  Values values;
  Arguments arguments = example(values);
  bool only_show = false;
  arguments.toggle("--show", only_show, "Show").lifts_requirements = true;
  EXPECT_TRUE(arguments.parse(std::vector<std::string>{"--show"}));
  EXPECT_TRUE(only_show);
}

DatasetOptions with(std::string_view name, std::string_view text) {
  DatasetOptions options;
  dataset_options().find(name)->set(options, text);
  return options;
}

TEST(DatasetOptionTable, ReadsColumnsWithQuotes) {
  EXPECT_THAT(with("target", "\"strength, MPa\",b").targets, ElementsAre("strength, MPa", "b"));
  EXPECT_EQ(with("weight", "\"a, b\"").weight, "a, b");
  EXPECT_THROW(with("target", ""), Error);
  EXPECT_THROW(with("weight", "a,b"), Error);
}

TEST(DatasetOptionTable, KnowsWordsForInvisibleDelimiters) {
  EXPECT_EQ(with("delimiter", ",").format.delimiter, ',');
  EXPECT_EQ(with("delimiter", "tab").format.delimiter, '\t');
  EXPECT_EQ(with("delimiter", "blank").format.delimiter, ' ');
  for (const char* word : {",", ";", "tab", "blank"}) {
    EXPECT_EQ(base::to_text(dataset_options().find("delimiter")->get(with("delimiter", word))), word);
  }
  EXPECT_THROW(with("delimiter", "|"), Error);
}

TEST(DatasetOptionTable, ReadsYesAndNo) {
  EXPECT_EQ(with("header", "yes").format.header, true);
  EXPECT_EQ(with("header", "no").format.header, false);
  EXPECT_THROW(with("header", "true"), Error);
}

}  // namespace
}  // namespace credens::cli
