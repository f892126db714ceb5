// SPDX-License-Identifier: Apache-2.0

#include "cli/completion.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

namespace credens::cli {

namespace {

enum class Completes { words, columns, folders, files, nothing };

struct Completion {
  Completes kind = Completes::nothing;
  std::vector<std::string> words = {};
};

/// How `--help` calls values that nothing can complete.
constexpr std::array<std::string_view, 18> free_values{"A:B",     "BANDWIDTH", "CHAR", "COUNT", "EPOCHS",  "K",
                                                       "NAME,..", "NUMBER",    "P",    "P,..",  "POWER",   "RATE",
                                                       "ROWS",    "S",         "SIZE", "T",     "TEXT,..", "WIDTHS"};

/// The words in small letters of a value such as `NUMBER|evidence`.
std::vector<std::string> alternatives(const std::string& value) {
  std::vector<std::string> words;
  for (const std::string& word : base::split(value, '|')) {
    const bool is_small = std::ranges::all_of(word, [](char letter) { return 'a' <= letter && letter <= 'z'; });
    if (is_small && !word.empty()) words.push_back(word);
  }
  return words;
}

Completion completion_of(const Argument& argument) {
  if (argument.is_file()) return {Completes::files};
  const std::vector<std::string> words = argument.choices.empty() ? alternatives(argument.value) : argument.choices;
  if (!words.empty()) return {Completes::words, words};
  if (argument.value.starts_with("COL")) return {Completes::columns};
  if (argument.value == "DIR") return {Completes::folders};
  if (std::ranges::find(free_values, argument.value) != free_values.end()) return {};
  return {Completes::files};
}

struct Declared {
  std::string name;
  std::string summary;
  std::vector<Argument> arguments;
};

std::vector<Declared> declared(std::span<const Verb> verbs) {
  std::vector<Declared> all;
  for (const Verb& verb : verbs) {
    Arguments arguments;
    verb.declare(arguments);
    arguments.add({.names = "-h,--help", .help = "Show the options of this verb and an example"});
    all.push_back({verb.name, verb.summary, arguments.all()});
  }
  return all;
}

std::vector<std::string> option_names(const Declared& verb) {
  std::vector<std::string> all;
  for (const Argument& argument : verb.arguments) {
    if (!argument.is_file()) std::ranges::copy(names_of(argument), std::back_inserter(all));
  }
  return all;
}

/// The help of an argument up to its first colon or semicolon.
std::string brief(const Argument& argument) {
  return argument.help.substr(0, std::min(argument.help.find(": "), argument.help.find("; ")));
}

/// In single quotes; `quote` is how the shell writes one within, `escaped` are letters that need a backslash.
std::string in_quotes(std::string_view text, std::string_view quote, std::string_view escaped = "") {
  std::string result = "'";
  for (const char letter : text) {
    if (letter == '\'') {
      result += quote;
    } else {
      if (escaped.find(letter) != std::string_view::npos) result += '\\';
      result += letter;
    }
  }
  return result + "'";
}

// ---- bash ----

/// The cases of the word before the cursor, for one verb.
std::string bash_cases(const Declared& verb) {
  std::string text;
  for (const Argument& argument : verb.arguments) {
    if (argument.is_file() || argument.is_switch()) continue;
    const Completion completion = completion_of(argument);
    text += "        " + base::join(names_of(argument), "|") + ") ";
    switch (completion.kind) {
      case Completes::words:
        text += "words=" + in_quotes(base::join(completion.words, "\n"), "'\\''");
        break;
      case Completes::columns:
        text += "words=$(_credens_columns)";
        break;
      case Completes::folders:
        text += "kind=-d";
        break;
      case Completes::files:
        text += "kind=-f";
        break;
      case Completes::nothing:
        text += "kind=none";
        break;
    }
    text += " ;;\n";
  }
  return text;
}

constexpr std::string_view bash_begin =
    R"script(# Completion of credens for bash, made from the option tables of the program.

# The names in the header of the first table on the command line, without what a terminal would take for a command.
_credens_columns() {
  local word
  for word in "${COMP_WORDS[@]:2}"; do
    [[ $word == *.@(csv|tsv|txt|dat) && -f $word ]] || continue
    head -c 65536 -- "$word" | head -n 1 | tr ',;\t' '\n\n\n' | tr -d '"\000-\011\013-\037\177'
    return
  done
}

_credens() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} kind= words= options= head= word IFS=$'\n'
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
    prev=verb
  fi
  case ${COMP_WORDS[1]}:$prev in
)script";

constexpr std::string_view bash_end = R"script(  esac
  if [[ -z $kind$words ]]; then
    kind=-f
    [[ $cur != -* ]] || words=$options
  fi
  if [[ -n $words ]]; then
    # Not compgen -W, which would run commands that stand in a header.
    COMPREPLY=()
    [[ $cur != *,* ]] || head=${cur%,*},
    while read -r word; do
      [[ $word != "${cur##*,}"* ]] || COMPREPLY+=("$head$(printf %q "$word")")
    done <<<"$words"
  elif [[ $kind == none ]]; then
    COMPREPLY=()
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen $kind -- "$cur"))
  fi
}

complete -F _credens credens
)script";

// ---- zsh ----

constexpr std::string_view zsh_begin = R"script(#compdef credens
# Completion of credens for zsh, made from the option tables of the program.

# The names in the header of the first table on the command line, without what a terminal would take for a command.
_credens_columns() {
  local word
  local -a names
  for word in $words; do
    [[ $word == *.(csv|tsv|txt|dat) && -f $word ]] || continue
    names=(${(f)"$(head -c 65536 -- $word | head -n 1 | tr ',;\t' '\n\n\n' | tr -d '"\000-\011\013-\037\177')"})
    compset -P '*,'
    compadd -a names
    return
  done
}

_credens() {
  local -a verbs
  verbs=(
)script";

std::string zsh_action(const Argument& argument) {
  const Completion completion = completion_of(argument);
  switch (completion.kind) {
    case Completes::words: {
      std::string words;
      for (const std::string& word : completion.words) {
        words += (words.empty() ? "" : " ") + std::string(word == ";" ? "\\;" : word);
      }
      return "(" + words + ")";
    }
    case Completes::columns:
      return "_credens_columns";
    case Completes::folders:
      return "_files -/";
    case Completes::files:
      return "_files";
    case Completes::nothing:
      return " ";
  }
  return "";
}

/// Letters that end a field of a specification.
std::string zsh_field(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == ':' || letter == '[' || letter == ']') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

/// The specifications that `_arguments` takes: one for each name, so that each excludes nothing but itself.
std::string zsh_specifications(const Argument& argument, std::size_t position) {
  constexpr std::string_view quote = "'\\''";
  if (argument.is_file()) {
    const std::string place = argument.repeated ? "*" : std::to_string(position);
    return "        " + in_quotes(fmt::format("{}:{}:_files", place, argument.names), quote) + "\n";
  }
  std::string text;
  for (const std::string& name : names_of(argument)) {
    const std::string mark = argument.is_switch() ? "" : name.starts_with("--") ? "=" : "+";
    std::string specification = fmt::format("{}{}[{}]", name, mark, zsh_field(brief(argument)));
    if (!argument.is_switch()) specification += ":" + zsh_field(argument.value) + ":" + zsh_action(argument);
    text += "        " + in_quotes(specification, quote) + "\n";
  }
  return text;
}

// ---- fish ----

constexpr std::string_view fish_begin =
    R"script(# Completion of credens for fish, made from the option tables of the program.

# The names in the header of the first table on the command line, without what a terminal would take for a command.
function __fish_credens_columns
    for word in (commandline -opc)
        if string match -qr '\.(csv|tsv|txt|dat)$' -- $word; and test -f $word
            head -c 65536 -- $word | head -n 1 | tr ',;\t' '\n\n\n' | tr -d '"\000-\011\013-\037\177'
            return
        end
    end
end

complete -c credens -n __fish_use_subcommand -f
complete -c credens -n __fish_use_subcommand -s h -l help -d 'Show the verbs'
complete -c credens -n __fish_use_subcommand -l version -d 'Show the version'
)script";

std::string fish_action(const Argument& argument) {
  const Completion completion = completion_of(argument);
  switch (completion.kind) {
    case Completes::words:
      return " -x -a " + in_quotes(base::join(completion.words, " "), "\\'", "\\;");
    case Completes::columns:
      return " -x -a '(__fish_credens_columns)'";
    case Completes::folders:
      return " -x -a '(__fish_complete_directories)'";
    case Completes::files:
      return " -r -F";
    case Completes::nothing:
      return " -x";
  }
  return "";
}

std::string fish_line(const Declared& verb, const Argument& argument) {
  std::string text;
  for (const std::string& name : names_of(argument)) {
    text += fmt::format("complete -c credens -n '__fish_seen_subcommand_from {}' {}{} -d {}\n", verb.name,
                        name.starts_with("--") ? "-l " + name.substr(2) : "-s " + name.substr(1),
                        argument.is_switch() ? "" : fish_action(argument), in_quotes(brief(argument), "\\'", "\\"));
  }
  return text;
}

}  // namespace

std::string bash_completion(std::span<const Verb> verbs) {
  std::string text(bash_begin);
  std::vector<std::string> names;
  std::string cases;
  for (const Declared& verb : declared(verbs)) {
    names.push_back(verb.name);
    cases += fmt::format("    {}:*)\n      options={}\n      case $prev in\n{}      esac ;;\n", verb.name,
                         in_quotes(base::join(option_names(verb), "\n"), "'\\''"), bash_cases(verb));
  }
  names.insert(names.end(), {"--help", "--version"});
  text += "    *:verb) words=" + in_quotes(base::join(names, "\n"), "'\\''") + " ;;\n";
  return text + cases + std::string(bash_end);
}

std::string zsh_completion(std::span<const Verb> verbs) {
  std::string text(zsh_begin);
  std::string cases;
  for (const Declared& verb : declared(verbs)) {
    text += "    " + in_quotes(verb.name + ":" + verb.summary, "'\\''") + "\n";
    cases += fmt::format("    {})\n      _arguments \\\n", verb.name);
    std::string specifications;
    std::size_t position = 0;
    for (const Argument& argument : verb.arguments) {
      specifications += zsh_specifications(argument, argument.is_file() ? ++position : position);
    }
    specifications.pop_back();
    for (const char letter : specifications) cases += letter == '\n' ? " \\\n" : std::string(1, letter);
    cases += " ;;\n";
  }
  text += R"script(  )
  if ((CURRENT == 2)); then
    local -a options=('--help:Show the verbs' '--version:Show the version')
    _describe verb verbs
    _describe -o option options
    return
  fi
)script";
  return text + "  shift words\n  ((CURRENT--))\n  case $words[1] in\n" + cases + "  esac\n}\n\n_credens \"$@\"\n";
}

std::string fish_completion(std::span<const Verb> verbs) {
  std::string text(fish_begin);
  for (const Declared& verb : declared(verbs)) {
    text += fmt::format("complete -c credens -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        in_quotes(verb.summary, "\\'", "\\"));
    for (const Argument& argument : verb.arguments) {
      if (!argument.is_file()) text += fish_line(verb, argument);
    }
  }
  return text;
}

}  // namespace credens::cli
