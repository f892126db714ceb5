// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments.hpp"

#include <algorithm>
#include <cctype>

namespace credens::cli {

namespace {

std::string opposite_of(const Argument& argument) {
  return "--no-" + long_name(argument).substr(2);
}

/// The names of an option, its opposite last.
std::vector<std::string> names_of(const Argument& argument) {
  std::vector<std::string> names = base::split(argument.names, ',');
  if (argument.has_opposite) names.push_back(opposite_of(argument));
  return names;
}

std::vector<std::string> all_names(const std::vector<Argument>& arguments) {
  std::vector<std::string> names = {"--help"};
  for (const Argument& argument : arguments) {
    if (argument.is_file()) continue;
    for (std::string& name : names_of(argument)) names.push_back(std::move(name));
  }
  return names;
}

/// The words of a command line: those of each argument, in the order of the declaration, and those that belong to none.
class Words {
 public:
  Words(const std::vector<Argument>& arguments, std::span<const std::string> words)
      : arguments_(arguments), given_(arguments.size()), words_(words) {
    bool only_files = false;
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (only_files || word.size() < 2 || word.front() != '-') {
        add_file(word);
      } else if (word == "--") {
        only_files = true;
      } else if (word == "-h" || word == "--help") {
        wants_help_ = true;
      } else {
        add_option(word);
      }
    }
  }

  bool wants_help() const { return wants_help_; }
  const std::vector<std::string>& of(std::size_t argument) const { return given_[argument]; }
  const std::vector<std::string>& unknown_options() const { return unknown_options_; }
  const std::vector<std::string>& extra_files() const { return extra_files_; }

 private:
  void add_file(const std::string& word);
  void add_option(const std::string& word);

  const std::vector<Argument>& arguments_;
  std::vector<std::vector<std::string>> given_;
  std::vector<std::string> unknown_options_;
  std::vector<std::string> extra_files_;
  std::span<const std::string> words_;
  std::size_t next_ = 0;
  bool wants_help_ = false;
};

void Words::add_file(const std::string& word) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].is_file() && (given_[i].empty() || arguments_[i].repeated)) return given_[i].push_back(word);
  }
  extra_files_.push_back(word);
}

/// `--name`, `--name=value`, `-n` or `-nvalue`. An option takes the next word as its value, whatever that is.
void Words::add_option(const std::string& word) {
  const std::size_t end = word.starts_with("--") ? std::min(word.find('='), word.size()) : 2;
  const std::string name = word.substr(0, end);
  const bool has_value = end < word.size();
  const std::string value = word.substr(std::min(word.size(), word.starts_with("--") ? end + 1 : end));
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    const std::vector<std::string> names = names_of(argument);
    if (argument.is_file() || std::ranges::find(names, name) == names.end()) continue;
    if (argument.is_switch()) {
      const bool is_opposite = argument.has_opposite && name == names.back();
      base::require(!has_value || (!is_opposite && (value == "true" || value == "false")), ErrorCode::usage,
                    "{} takes no value", name);
      return given_[i].push_back(has_value ? value : is_opposite ? "false" : "true");
    }
    base::require(has_value ? !value.empty() : next_ < words_.size(), ErrorCode::usage, "{} needs a value", name);
    return given_[i].push_back(has_value ? value : words_[next_++]);
  }
  unknown_options_.push_back(word.substr(0, word.find('=')));
}

void check_no_extras(const Words& words, std::span<const std::string> names) {
  if (!words.unknown_options().empty()) {
    const std::string& name = words.unknown_options().front();
    base::fail(ErrorCode::usage, "unknown option {}{}", name,
               name.starts_with("--") ? base::suggestion(name, names) : "");
  }
  if (!words.extra_files().empty()) {
    base::fail(ErrorCode::usage, "unexpected argument {}", base::quoted(words.extra_files().front()));
  }
}

void check_words(const Argument& argument, const std::vector<std::string>& words, std::span<const std::string> names) {
  const std::string name = long_name(argument);
  const bool has_empty = std::find(words.begin(), words.end(), "") != words.end();
  base::require(!has_empty, ErrorCode::usage, "{} is empty, expected a {}", name,
                argument.is_file() ? "name" : "value");
  if (argument.is_file() || words.empty()) return;
  base::require(words.size() == 1 || argument.repeated, ErrorCode::usage, "{} is given {} times", name, words.size());
  for (const std::string& word : words) {
    const bool is_option = std::find(names.begin(), names.end(), word) != names.end();
    base::require(!is_option, ErrorCode::usage, "{} needs a value, found {}", name, word);
  }
}

std::string short_name(const Argument& argument) {
  return argument.names.substr(0, argument.names.find(','));
}

std::string within_sentence(std::string help) {
  help.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(help.front())));
  return help;
}

void check_required(const Words& words, const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].lifts_requirements && !words.of(i).empty()) return;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    base::require(!arguments[i].required || !words.of(i).empty(), ErrorCode::usage, "{} is missing: {}",
                  short_name(arguments[i]), within_sentence(arguments[i].help));
  }
}

}  // namespace

std::string long_name(const Argument& argument) {
  return argument.names.substr(argument.names.rfind(',') + 1);
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

bool Arguments::parse(std::span<const std::string> given) const {
  const Words words(arguments_, given);
  if (words.wants_help()) return false;
  const std::vector<std::string> names = all_names(arguments_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) check_words(arguments_[i], words.of(i), names);
  check_no_extras(words, names);
  check_required(words, arguments_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    for (const std::string& word : words.of(i)) arguments_[i].set(word);
  }
  return true;
}

}  // namespace credens::cli
