// SPDX-License-Identifier: Apache-2.0
//
// docs/parameters.md is the table of settings as a page. To write it anew: CREDENS_UPDATE=1 test_cli
// --gtest_filter='ParameterPage.*'.

#include "cli/settings.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.hpp"

namespace credens::cli {
namespace {

using Option = base::Option<FitSettings>;

const std::string page = CREDENS_TEST_DATA "/../docs/parameters.md";

constexpr const char* introduction =
    "# Parameters of a fit\n\n"
    "This page lists the options of a fit. One table in the program makes the flags of `credens fit`, the keys of its "
    "TOML files, the keywords of `credens.fit` in Python, the names stored with a model, and this page.\n\n"
    "* A key and a keyword are the name of the flag with underscores. Two keywords differ: `--lambda` is "
    "`prior_precision` in Python, and `--validation` is `validation_fraction` for a share and `validation` for other "
    "rows.\n"
    "* `auto`, the default recipe, decides options whose default is *the recipe's*; [cli.md](cli.md#the-recipe-auto) "
    "says how.\n"
    "* Options that take several values cycle them over the members: with k values, member i gets value i modulo k.\n"
    "* The [glossary](glossary.md) explains the terms.\n";

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string row(const Option& option) {
  std::string flag = base::flag_of(option.name);
  if (option.is_switch()) flag = "--[no-]" + flag.substr(2);
  const std::string text = base::to_text(option.get(FitSettings()));
  const std::string shown = !text.empty() ? "`" + text + "`" : option.is_stored ? "*the recipe's*" : "";
  return fmt::format("| `{}{}` | {} | {}{} |\n", flag, option.is_switch() ? "" : " " + cell(option.value), shown,
                     cell(option.help), option.is_switch() ? "" : ": " + cell(option.expects));
}

std::string parameter_page() {
  std::string text = introduction;
  std::string group;
  for (const Option& option : fit_settings().options()) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format("\n## {}\n\n| flag | default | meaning |\n|---|---|---|\n", group);
    }
    text += row(option);
  }
  return text;
}

TEST(ParameterPage, IsTheTableOfSettings) {
  if (std::getenv("CREDENS_UPDATE") != nullptr) base::write_file(page, parameter_page());
  EXPECT_EQ(base::read_file(page), parameter_page()) << "CREDENS_UPDATE=1 writes the page";
}

TEST(FitSettings, AllHaveAGroupAndAnExplanation) {
  for (const Option& option : fit_settings().options()) {
    EXPECT_FALSE(option.group.empty() || option.help.empty() || option.expects.empty()) << option.name;
    const base::OptionValue value = option.get(FitSettings());
    EXPECT_TRUE(!std::holds_alternative<bool>(value) || option.is_switch()) << option.name;
  }
}

TEST(FitSettings, TakeAShareOrAFileForValidation) {
  const Option& validation = *fit_settings().find("validation");
  FitSettings settings;
  validation.set(settings, "0.25");
  EXPECT_EQ(settings.options.validation_fraction, 0.25);
  validation.set(settings, "rows.csv");
  EXPECT_EQ(settings.validation_file, "rows.csv");
  EXPECT_EQ(settings.options.validation_fraction, 0);
  try {
    validation.set(settings, "1.5");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--validation is \"1.5\", expected a number from 0 to below 1, or a file");
  }
}

}  // namespace
}  // namespace credens::cli
