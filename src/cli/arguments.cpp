// SPDX-License-Identifier: Apache-2.0
//
// CLI11 splits the words; which are missing, unknown or wrong is said here, in our sentences.

#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <cctype>

namespace credens::cli {

namespace {

constexpr const char* help_flags = "-h,--help";

/// The parser of a declaration, and the parsed words of each argument.
struct Parser {
  CLI::App app;
  CLI::Option* help = nullptr;
  std::vector<CLI::Option*> options;  // in the order of the declaration
};

std::string opposite_of(const Argument& argument) {
  return "--no-" + long_name(argument).substr(2);
}

CLI::Option* add_to(CLI::App& app, const Argument& argument) {
  if (argument.is_switch()) {
    const std::string opposite = argument.has_opposite ? ",!" + opposite_of(argument) : "";
    return app.add_flag(argument.names + opposite)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  CLI::Option* option = app.add_option(argument.names)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return option->expected(argument.repeated && argument.is_file() ? -1 : 1);
}

void build(Parser& parser, const std::vector<Argument>& arguments) {
  parser.app.set_help_flag();
  parser.app.allow_extras();
  parser.help = parser.app.add_flag(help_flags);
  for (const Argument& argument : arguments) parser.options.push_back(add_to(parser.app, argument));
}

std::vector<std::string> all_names(const std::vector<Argument>& arguments) {
  std::vector<std::string> names = {"--help"};
  for (const Argument& argument : arguments) {
    if (argument.is_file()) continue;
    for (std::string& name : base::split(argument.names, ',')) names.push_back(std::move(name));
    if (argument.has_opposite) names.push_back(opposite_of(argument));
  }
  return names;
}

void split_words(Parser& parser, std::span<const std::string> words) {
  for (const std::string& word : words) {
    base::require(!(word.starts_with("--") && word.ends_with("=")), ErrorCode::usage, "{} needs a value",
                  word.substr(0, word.size() - 1));
  }
  try {
    parser.app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ArgumentMismatch&) {
    // An option takes the next word whatever it is, so only the last word can lack its value.
    base::fail(ErrorCode::usage, "{} needs a value", words.back());
  } catch (const CLI::ParseError& error) {
    base::fail(ErrorCode::usage, "{}", error.what());
  }
}

void check_no_extras(const Parser& parser, std::span<const std::string> names) {
  std::vector<std::string> extras = parser.app.remaining();
  std::erase(extras, "--");  // the mark after which all words are files is not one of them
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra.front() != '-') continue;
    const std::string name = extra.substr(0, extra.find('='));
    base::fail(ErrorCode::usage, "unknown option {}{}", name,
               name.starts_with("--") ? base::suggestion(name, names) : "");
  }
  base::require(extras.empty(), ErrorCode::usage, "unexpected argument {}",
                extras.empty() ? "" : base::quoted(extras.front()));
}

void check_words(const Argument& argument, const std::vector<std::string>& words, std::span<const std::string> names) {
  const std::string name = long_name(argument);
  const bool has_empty = std::find(words.begin(), words.end(), "") != words.end();
  base::require(!has_empty, ErrorCode::usage, "{} is empty, expected a {}", name,
                argument.is_file() ? "name" : "value");
  if (argument.is_file() || words.empty()) return;
  base::require(words.size() == 1 || argument.repeated, ErrorCode::usage, "{} is given {} times", name, words.size());
  for (const std::string& word : words) {
    if (argument.is_switch()) {
      base::require(word == "true" || word == "false", ErrorCode::usage, "{} takes no value", name);
    } else {
      const bool is_option = std::find(names.begin(), names.end(), word) != names.end();
      base::require(!is_option, ErrorCode::usage, "{} needs a value, found {}", name, word);
    }
  }
}

std::string short_name(const Argument& argument) {
  return argument.names.substr(0, argument.names.find(','));
}

std::string within_sentence(std::string help) {
  help.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(help.front())));
  return help;
}

void check_required(const Parser& parser, const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].lifts_requirements && parser.options[i]->count() > 0) return;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    base::require(!arguments[i].required || parser.options[i]->count() > 0, ErrorCode::usage, "{} is missing: {}",
                  short_name(arguments[i]), within_sentence(arguments[i].help));
  }
}

}  // namespace

std::string long_name(const Argument& argument) {
  return argument.names.substr(argument.names.rfind(',') + 1);
}

void parse_or_explain(std::string_view name, std::string_view text, std::string_view expects,
                      const std::function<void()>& parse) {
  try {
    parse();
  } catch (const Error&) {
    base::fail(ErrorCode::usage, "{} is {}, expected {}", name, base::quoted(text), expects);
  }
}

Argument& Arguments::add(Argument argument) {
  if (argument.group.empty()) argument.group = argument.is_file() ? "Files" : group_;
  return arguments_.emplace_back(std::move(argument));
}

Argument& Arguments::file(std::string name, std::string& into, std::string help) {
  return add(
      {.names = std::move(name), .help = std::move(help), .required = true, .set = [&into](const std::string& text) {
         into = text;
       }});
}

Argument& Arguments::optional_file(std::string name, std::string& into, std::string help) {
  return add(
      {.names = std::move(name), .help = std::move(help), .set = [&into](const std::string& text) { into = text; }});
}

Argument& Arguments::files(std::string name, std::vector<std::string>& into, std::string help) {
  return add({.names = std::move(name),
              .help = std::move(help),
              .required = true,
              .repeated = true,
              .set = [&into](const std::string& text) { into.push_back(text); }});
}

Argument& Arguments::toggle(std::string name, bool& into, std::string help) {
  return add({.names = std::move(name), .help = std::move(help), .set = [&into](const std::string& text) {
                into = text == "true";
              }});
}

bool Arguments::parse(std::span<const std::string> words) const {
  Parser parser;
  build(parser, arguments_);
  split_words(parser, words);
  if (parser.help->count() > 0) return false;
  const std::vector<std::string> names = all_names(arguments_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) check_words(arguments_[i], parser.options[i]->results(), names);
  check_no_extras(parser, names);
  check_required(parser, arguments_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    for (const std::string& word : parser.options[i]->results()) arguments_[i].set(word);
  }
  return true;
}

}  // namespace credens::cli
