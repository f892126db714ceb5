// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments.hpp"

#include <algorithm>
#include <cctype>

namespace credens::cli {

namespace {

std::vector<std::string> all_names(const std::vector<Argument>& arguments) {
  std::vector<std::string> names = {"--help"};
  for (const Argument& argument : arguments) {
    if (argument.is_file()) continue;
    for (std::string& name : names_of(argument)) names.push_back(std::move(name));
  }
  return names;
}

/// The words of a command line: those of each argument, in the order of the declaration, and those that belong to none.
struct Words {
  Words(const std::vector<Argument>& declared, std::span<const std::string> words)
      : arguments(declared), given(declared.size()), rest(words) {
    bool only_files = false;
    while (!rest.empty()) {
      const std::string& word = take();
      if (only_files || word.size() < 2 || word.front() != '-') {
        add_file(word);
      } else if (word == "--") {
        only_files = true;
      } else if (word == "-h" || word == "--help") {
        wants_help = true;
      } else {
        add_option(word);
      }
    }
  }

  const std::string& take() {
    const std::string& word = rest.front();
    rest = rest.subspan(1);
    return word;
  }
  void add_file(const std::string& word);
  void add_option(const std::string& word);

  const std::vector<Argument>& arguments;
  std::vector<std::vector<std::string>> given;
  std::vector<std::string> unknown_options = {};
  std::vector<std::string> extra_files = {};
  std::span<const std::string> rest;
  bool wants_help = false;
};

void Words::add_file(const std::string& word) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_file() && (given[i].empty() || arguments[i].repeated)) return given[i].push_back(word);
  }
  extra_files.push_back(word);
}

/// `--name`, `--name=value`, `-n` or `-nvalue`. An option takes the next word as its value, whatever that is.
void Words::add_option(const std::string& word) {
  const std::size_t end = word.starts_with("--") ? std::min(word.find('='), word.size()) : 2;
  const std::string name = word.substr(0, end);
  const bool has_value = end < word.size();
  const std::string value = word.substr(std::min(word.size(), word.starts_with("--") ? end + 1 : end));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    const std::vector<std::string> names = names_of(argument);
    if (argument.is_file() || std::ranges::find(names, name) == names.end()) continue;
    if (argument.is_switch()) {
      const bool is_opposite = argument.has_opposite && name == names.back();
      base::require(!has_value || (!is_opposite && (value == "true" || value == "false")), ErrorCode::usage,
                    "{} takes no value", name);
      return given[i].push_back(has_value ? value : is_opposite ? "false" : "true");
    }
    base::require(has_value ? !value.empty() : !rest.empty(), ErrorCode::usage, "{} needs a value", name);
    return given[i].push_back(has_value ? value : take());
  }
  unknown_options.push_back(word.substr(0, word.find('=')));
}

void check_no_extras(const Words& words, std::span<const std::string> names) {
  if (!words.unknown_options.empty()) {
    const std::string& name = words.unknown_options.front();
    base::fail(ErrorCode::usage, "unknown option {}{}", name,
               name.starts_with("--") ? base::suggestion(name, names) : "");
  }
  if (!words.extra_files.empty()) {
    base::fail(ErrorCode::usage, "unexpected argument {}", base::quoted(words.extra_files.front()));
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

void check_required(const Words& words, const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].lifts_requirements && !words.given[i].empty()) return;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].required || !words.given[i].empty()) continue;
    std::string help = arguments[i].help;
    help.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(help.front())));
    base::fail(ErrorCode::usage, "{} is missing: {}", base::split(arguments[i].names, ',').front(), help);
  }
}

constexpr const char* columns_expects = "columns by name or 0-based index, separated by commas";
constexpr const char* column_expects = "one column by name or 0-based index";

struct OneColumn {
  static std::string parse(std::string_view text) {
    std::vector<std::string> columns = base::FieldText<std::vector<std::string>>::parse(text);
    base::require(columns.size() == 1, ErrorCode::usage, "{} is not one column", base::quoted(text));
    return std::move(columns.front());
  }
  static base::OptionValue value(const std::string& column) { return column.empty() ? "" : base::list_item(column); }
};

struct YesOrNo {
  static bool parse(std::string_view text) {
    base::require(text == "yes" || text == "no", ErrorCode::usage, "{} is neither yes nor no", base::quoted(text));
    return text == "yes";
  }
  static base::OptionValue value(const std::optional<bool>& flag) {
    return std::string(!flag ? "" : *flag ? "yes" : "no");
  }
  static std::vector<std::string> choices() { return {"yes", "no"}; }
};

struct Delimiter {
  static char parse(std::string_view text) {
    if (text == "," || text == ";") return text.front();
    if (text == "tab" || text == "\t" || text == "\\t") return '\t';
    if (text == "blank" || text == " ") return ' ';
    base::fail(ErrorCode::usage, "{} is no delimiter", base::quoted(text));
  }
  static base::OptionValue value(const std::optional<char>& delimiter) {
    if (!delimiter) return std::string();
    return *delimiter == '\t' ? "tab" : *delimiter == ' ' ? "blank" : std::string(1, *delimiter);
  }
  static std::vector<std::string> choices() { return {",", ";", "tab", "blank"}; }
};

struct DecimalMark {
  static char parse(std::string_view text) {
    if (text == "point") return '.';
    if (text == "comma") return ',';
    base::fail(ErrorCode::usage, "{} is no decimal mark", base::quoted(text));
  }
  static base::OptionValue value(const std::optional<char>& decimal) {
    if (!decimal) return std::string();
    return std::string(*decimal == ',' ? "comma" : "point");
  }
  static std::vector<std::string> choices() { return {"point", "comma"}; }
};

bool has_some(const std::vector<std::string>& columns) {
  return !columns.empty();
}

base::OptionTable<TableFormat> make_format_table(const std::string& group) {
  base::OptionTable<TableFormat> table;
  table.group(group)
      .add_as<YesOrNo>("header", "yes|no", &TableFormat::header,
                       "Whether the first line holds column names; detected if not given", "yes or no")
      .not_stored();
  table
      .add_as<Delimiter>("delimiter", "CHAR", &TableFormat::delimiter, "Delimiter of text files; detected if not given",
                         "one of , ; tab blank")
      .not_stored();
  table
      .add_as<DecimalMark>("decimal", "point|comma", &TableFormat::decimal,
                           "Decimal mark of text files; detected if not given", "point or comma")
      .not_stored();
  table
      .add_as<YesOrNo>("unit_line", "yes|no", &TableFormat::unit_line,
                       "Whether the line below the column names holds units; detected if not given", "yes or no")
      .not_stored();
  table
      .add("missing", "TEXT,..", &TableFormat::missing,
           "Cells that stand for a missing value, beside empty ones, NA, N/A, NaN, null, None and ?",
           "texts separated by commas", has_some)
      .not_stored();
  return table;
}

}  // namespace

std::string long_name(const Argument& argument) {
  return argument.names.substr(argument.names.rfind(',') + 1);
}

std::vector<std::string> names_of(const Argument& argument) {
  std::vector<std::string> names = base::split(argument.names, ',');
  if (argument.has_opposite) names.push_back("--no-" + long_name(argument).substr(2));
  return names;
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
  if (words.wants_help) return false;
  const std::vector<std::string> names = all_names(arguments_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) check_words(arguments_[i], words.given[i], names);
  check_no_extras(words, names);
  check_required(words, arguments_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    for (const std::string& word : words.given[i]) arguments_[i].set(word);
  }
  return true;
}

base::OptionTable<DatasetOptions> dataset_options() {
  base::OptionTable<DatasetOptions> table;
  table.group("Table");
  const auto columns = [&](std::string name, std::string value, std::vector<std::string> DatasetOptions::*field,
                           std::string help) {
    table.add(std::move(name), std::move(value), field, std::move(help), columns_expects, has_some).not_stored();
  };
  columns("target", "COL[,COL]", &DatasetOptions::targets, "Columns to predict");
  table
      .add("task", "NAME", &DatasetOptions::task,
           "What is predicted: auto is classification where the target holds words, else regression",
           "one of " + base::join(base::all_names<Task>(), ", "))
      .not_stored();
  table
      .add("classes", "NAME,..", &DatasetOptions::classes,
           "Classes in their order, also such that no row has; if not given those of the rows, sorted",
           "names separated by commas", has_some)
      .not_stored();
  columns("counts", "COL,..", &DatasetOptions::counts,
          "In place of --target: columns with the number of times that each class was observed");
  columns("inputs", "COL,..", &DatasetOptions::inputs, "Columns to predict from; all remaining columns if not given");
  columns("ignore", "COL,..", &DatasetOptions::ignore, "Columns to ignore");
  table
      .add_as<OneColumn>("weight", "COL", &DatasetOptions::weight,
                         "Column of row weights; all weights are 1 if not given", column_expects)
      .not_stored();
  columns("noise_std", "COL[,COL]", &DatasetOptions::noise_std,
          "Columns with the known standard deviation of each row's noise: one for all targets, or one each");
  columns("categories", "COL,..", &DatasetOptions::categories,
          "Inputs that hold words, also where they look like numbers");
  columns("numbers", "COL,..", &DatasetOptions::numbers, "Inputs that hold numbers");
  columns("dates", "COL,..", &DatasetOptions::dates, "Inputs that hold days or times after ISO 8601");
  table
      .add("strict", "", &DatasetOptions::strict, "Refuse words and missing cells: every cell must be a finite number",
           "true or false")
      .not_stored();
  const auto column = [&](std::string name, std::string DatasetOptions::*field, std::string help) {
    table.add_as<OneColumn>(std::move(name), "COL", field, std::move(help), column_expects).not_stored();
  };
  column("group", &DatasetOptions::group,
         "Column of groups, numbers or words: rows of one group (a sample, a patient, a day) are held out together");
  column("time", &DatasetOptions::time, "Column of times, numbers or dates: rows are held out in blocks of time");
  return table.include(make_format_table("Table"), &DatasetOptions::format);
}

void columns_option(Arguments& arguments, const std::string& flag, std::vector<std::string>& into,
                    const std::string& help) {
  arguments.option(flag, "COL[,COL]", into, fmt::format("{}: {}", help, columns_expects),
                   {.text = columns_expects, .holds = has_some});
}

void column_option(Arguments& arguments, const std::string& flag, std::string& into, const std::string& help) {
  arguments.add({.names = flag,
                 .value = "COL",
                 .help = fmt::format("{}: {}", help, column_expects),
                 .set = [&into, flag](const std::string& text) {
                   base::explain(flag, text, column_expects, [&] { into = OneColumn::parse(text); });
                 }});
}

void format_options(Arguments& arguments, TableFormat& format) {
  arguments.options(make_format_table(""), format);
}

}  // namespace credens::cli
