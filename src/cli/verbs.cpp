// SPDX-License-Identifier: Apache-2.0

#include "cli/verbs.hpp"

#include <algorithm>

namespace credens::cli {

namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t widest_left = 30;

/// Words of `text` in lines of at most `width` characters.
std::vector<std::string> wrap(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : base::split(text, ' ')) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      lines.back() += " " + word;
    }
  }
  return lines;
}

std::string left_side(const Argument& argument) {
  if (argument.is_file()) return argument.names + (argument.repeated ? "..." : "");
  std::string names = base::join(base::split(argument.names, ','), ", ");
  if (argument.has_opposite) names = "--[no-]" + names.substr(2);
  return argument.is_switch() ? names : names + " " + argument.value;
}

/// A left column that gives way to the next line where it is too long.
std::string row(const std::string& left, const std::string& right, std::size_t left_width) {
  std::string text = fmt::format("  {:<{}}", left, left_width);
  const std::string indent(left_width + 4, ' ');
  bool first = left.size() <= left_width;
  if (!first) text += "\n";
  for (const std::string& line : wrap(right, line_width - indent.size())) {
    text += (first ? "  " : indent) + line + "\n";
    first = false;
  }
  return text;
}

}  // namespace

std::string usage_of(const Verb& verb, std::span<const Argument> arguments) {
  std::string usage = "credens " + verb.name;
  bool has_options = false;
  for (const Argument& argument : arguments) {
    if (argument.is_file()) usage += argument.required ? " " + left_side(argument) : " [" + left_side(argument) + "]";
    if (!argument.is_file() && argument.required) {
      usage += fmt::format(" {} {}", argument.names.substr(0, argument.names.find(',')), argument.value);
    }
    has_options = has_options || (!argument.is_file() && !argument.required);
  }
  return usage + (has_options ? " [options]" : "");
}

std::vector<std::string> groups_of(std::span<const Argument> arguments) {
  std::vector<std::string> groups;
  for (const Argument& argument : arguments) {
    if (std::find(groups.begin(), groups.end(), argument.group) == groups.end()) groups.push_back(argument.group);
  }
  return groups;
}

std::string meaning_of(const Argument& argument) {
  if (argument.required && !argument.is_file()) return argument.help + " (required)";
  return argument.shown_default.empty() ? argument.help
                                        : fmt::format("{} (default {})", argument.help, argument.shown_default);
}

std::vector<Verb> all_verbs() {
  return {fit_verb(),     merge_verb(),  widen_verb(),   calibrate_verb(), predict_verb(), evaluate_verb(), check_verb(),
          explain_verb(), sample_verb(), suggest_verb(), outputs_verb(),   inspect_verb(), export_verb(),   report_verb(),
          card_verb(),    budget_verb(), pack_verb(),    demo_verb(),      version_verb()};
}

std::string overview(std::span<const Verb> verbs) {
  std::size_t width = 0;
  for (const Verb& verb : verbs) width = std::max(width, verb.name.size());
  std::string text =
      "Regression and classification with deep ensembles that separate noise from ignorance.\n\nUsage: credens VERB "
      "...\n\n";
  for (const Verb& verb : verbs) text += row(verb.name, verb.summary, width);
  return text + "\n`credens VERB --help` shows the options of a verb and an example.\n";
}

std::string help_of(const Verb& verb) {
  Arguments arguments;
  verb.declare(arguments);
  const std::vector<Argument>& all = arguments.all();
  std::size_t width = 0;
  for (const Argument& argument : all) width = std::max(width, std::min(left_side(argument).size(), widest_left));
  std::string text = fmt::format("{}: {}.\n\nUsage: {}\n", verb.name, verb.summary, usage_of(verb, all));
  for (const std::string& group : groups_of(all)) {
    text += fmt::format("\n{}:\n", group);
    for (const Argument& argument : all) {
      if (argument.group == group) text += row(left_side(argument), meaning_of(argument), width);
    }
  }
  text += "\nExample:\n";
  for (const std::string& line : verb.example) text += "  " + line + "\n";
  return text;
}

}  // namespace credens::cli
