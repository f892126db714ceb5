// SPDX-License-Identifier: Apache-2.0

#include "cli/config.hpp"

#include <gmock/gmock.h>

#include "base/file.hpp"

namespace credens::cli {
namespace {

using testing::ElementsAre;

class Config : public testing::Test {
 protected:
  FitSettings read(const std::string& text) {
    base::write_file(path_, text);
    FitSettings settings;
    read_config(path_, settings);
    return settings;
  }

  std::string complaint(const std::string& text) {
    try {
      read(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return std::string(error.what()).substr(path_.size());
    }
    return "none";
  }

  void TearDown() override { std::filesystem::remove(path_); }

  std::string path_ = testing::TempDir() + "credens_config_test.toml";
};

TEST_F(Config, SetsWhatIsGivenAndLeavesTheRest) {
  const FitSettings settings = read("target = ['u', 'v']\nmembers = 3\nlearning-rate = 0.5\nrandom_bias = true\n");
  EXPECT_THAT(settings.columns.targets, ElementsAre("u", "v"));
  EXPECT_EQ(*settings.options.members, 3U);
  EXPECT_THAT(*settings.options.learning_rate, ElementsAre(0.5));
  EXPECT_TRUE(settings.options.random_bias);
  EXPECT_FALSE(settings.options.epochs.is_given());
}

TEST_F(Config, ReadsListsOfListsAsWidthsForSeveralMembers) {
  const FitSettings settings = read("hidden = [[16, 8], [4]]\n");
  EXPECT_THAT(*settings.options.hidden, ElementsAre(ElementsAre(16, 8), ElementsAre(4)));
}

TEST_F(Config, TellsAFractionFromAFile) {
  EXPECT_EQ(read("validation = 0.25\n").options.validation_fraction, 0.25);
  const FitSettings settings = read("validation = 'rows.csv'\n");
  EXPECT_EQ(settings.validation_file, "rows.csv");
  EXPECT_EQ(settings.options.validation_fraction, 0);
}

TEST_F(Config, NamesFileLineAndKeyInComplaints) {
  EXPECT_EQ(complaint("\nepoch = 3\n"), ":2: unknown key \"epoch\"; did you mean epochs?");
  EXPECT_EQ(complaint("members = 0\n"), ":1: members is \"0\", expected a whole number from 1 to 100000");
  EXPECT_THAT(complaint("members = \n"), testing::StartsWith(":1: not TOML: "));
}

TEST_F(Config, ComplainsOfBracketsAndLettersWhereNoneBelong) {
  for (const char* text : {"[[[a]]\n", "[[[", "[", "[[", "[a]\n[[[a\nx", "target \u00e9= 1"}) {
    EXPECT_THAT(complaint(text), testing::HasSubstr("not TOML: ")) << text;
  }
}

TEST_F(Config, RoundTripsTextsOfAnyKind) {
  for (const char* name : {"it's", "a\nb", "''' \"\"\"\n\\x\t\x7f", "\u00b5'g"}) {
    FitSettings settings;
    settings.columns.targets = {name};
    EXPECT_EQ(read(config_text(settings)).columns.targets, settings.columns.targets) << name;
  }
}

TEST_F(Config, ComplainsInOneLine) {
  EXPECT_THAT(complaint("random_bias = t\n"),
              testing::AllOf(testing::StartsWith(":1: not TOML: "), testing::Not(testing::HasSubstr("\n"))));
}

TEST_F(Config, RoundTripsEverySetting) {
  FitSettings settings = read(
      "target = 'y'\ninputs = ['a, b', 'c']\nweight = 'w'\nnoise_std = 's'\nheader = 'no'\ndelimiter = 'tab'\nhidden = "
      "'none/3'\n"
      "activation = ['tanh', 'elu']\nlambda = 1e-7\nschedule = 'cosine'\nvalidation = 'v.csv'\nstandardise_inputs = "
      "false\nseed = 12\n");
  const std::string text = config_text(settings);
  EXPECT_EQ(config_text(read(text)), text);
  EXPECT_NE(text, config_text(FitSettings()));
}

}  // namespace
}  // namespace credens::cli
