// SPDX-License-Identifier: Apache-2.0

#include "cli/manual.hpp"

#include <credens/error.hpp>
#include <credens/version.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace credens::cli {

namespace {

constexpr const char* program_summary =
    "regression and classification with deep ensembles that separate noise from ignorance";

constexpr int status_of(ErrorCode code) {
  return static_cast<int>(code);
}

constexpr std::array<std::pair<int, const char*>, 8> statuses{{
    {status_of(ErrorCode::failure), "another failure, such as too little memory"},
    {status_of(ErrorCode::usage), "usage: unknown or contradictory options, also options that contradict the data"},
    {status_of(ErrorCode::data), "bad data, also a column that the table does not have"},
    {status_of(ErrorCode::model), "a model file, part or checkpoint that is damaged or belongs to another fit"},
    {status_of(ErrorCode::io), "a file is absent or unreadable, a folder stands in its place, the disk is full"},
    {status_of(ErrorCode::numerical), "a member diverged in all its attempts, a matrix is not positive definite"},
    {drift_status, "no error: check found drift"},
    {status_of(ErrorCode::interrupted), "interrupted; finished members are kept for --resume"},
}};

/// Text as man(7) takes it: no macro at the start of a line, hyphens that can be copied.
std::string roff(const std::string& text) {
  std::string escaped = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char letter : text) {
    if (letter == '\\') {
      escaped += "\\e";
    } else if (letter == '-') {
      escaped += "\\-";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string title(const std::string& name) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](char letter) { return 'a' <= letter && letter <= 'z' ? letter - 32 : letter; });
  return fmt::format(".TH {} 1 \"\" \"credens {}\" \"Credens\"\n.nh\n.SH NAME\n", roff(upper), version());
}

/// "\fB\-o\fR, \fB\-\-output\fR \fIOUT\fR"
std::string head_of(const Argument& argument) {
  if (argument.is_file()) return "\\fI" + roff(argument.names) + "\\fR" + (argument.repeated ? "..." : "");
  std::vector<std::string> names;
  for (const std::string& name : names_of(argument)) names.push_back(bold(name));
  return base::join(names, ", ") + (argument.is_switch() ? "" : " \\fI" + roff(argument.value) + "\\fR");
}

std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n" + head + "\n" + roff(text) + "\n";
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n" + entry(bold("0"), "done");
  for (const auto& [status, meaning] : statuses) text += entry(bold(std::to_string(status)), meaning);
  return text;
}

}  // namespace

std::string manual_of_program(std::span<const Verb> verbs) {
  std::string text = title("credens") + fmt::format("credens \\- {}\n", program_summary) +
                     ".SH SYNOPSIS\n\\fBcredens\\fR \\fIVERB\\fR ...\n.SH DESCRIPTION\n"
                     "Credens trains an ensemble of neural networks on a table and splits the uncertainty of every "
                     "prediction in two: noise, the scatter of the measurements, and ignorance, what the data do not "
                     "tell.\n.SH VERBS\n";
  for (const Verb& verb : verbs) text += entry(bold(verb.name), verb.summary);
  text += exit_status() + ".SH EXAMPLE\n.EX\n";
  for (const char* line : {"credens fit train.csv --target y -o model.safetensors",
                           "credens predict model.safetensors test.csv -o predictions.csv"}) {
    text += roff(line) + "\n";
  }
  std::vector<std::string> pages;
  for (const Verb& verb : verbs) pages.push_back(bold("credens-" + verb.name) + "(1)");
  return text + ".EE\n.SH SEE ALSO\n" + base::join(pages, ",\n") + "\n";
}

std::string manual_of(const Verb& verb) {
  Arguments arguments;
  verb.declare(arguments);
  const std::vector<Argument>& all = arguments.all();
  std::string text = title("credens-" + verb.name) +
                     fmt::format("credens\\-{} \\- {}\n", verb.name, roff(verb.summary)) + ".SH SYNOPSIS\n" +
                     roff(usage_of(verb, all)) + "\n.SH OPTIONS\n";
  for (const std::string& group : groups_of(all)) {
    text += ".SS " + roff(group) + "\n";
    for (const Argument& argument : all) {
      if (argument.group == group) text += entry(head_of(argument), meaning_of(argument));
    }
  }
  text += exit_status() + ".SH EXAMPLE\n.EX\n";
  for (const std::string& line : verb.example) text += roff(line) + "\n";
  return text + ".EE\n.SH SEE ALSO\n\\fBcredens\\fR(1)\n";
}

}  // namespace credens::cli
