// SPDX-License-Identifier: Apache-2.0
//
// The arguments that a verb takes on the command line. Declared once; the parser and `--help` both read the
// declaration.

#pragma once

#include <credens/dataset.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"

namespace credens::cli {

/// One thing that can be given: a file by its position, an option with a value, or a switch.
struct Argument {
  std::string names;       ///< "TRAIN", "--level", "-o,--output"
  std::string value = {};  ///< how `--help` calls an option's value; empty: a switch, or a file
  std::string help = {};   ///< plain words, no full stop
  std::string shown_default = {};
  bool required = false;
  bool repeated = false;                             ///< a file: one or more; an option: any number of times
  bool has_opposite = false;                         ///< a switch "--x" that also comes as "--no-x"
  bool lifts_requirements = false;                   ///< a switch with which nothing else must be given
  std::function<void(const std::string&)> set = {};  ///< gets the text of the value; "true" or "false" of a switch
  std::string group = {};                            ///< title under which `--help` lists it
  std::vector<std::string> choices = {};             ///< the values that a shell can complete

  bool is_file() const { return names.front() != '-'; }
  bool is_switch() const { return !is_file() && value.empty(); }
};

/// The range of a value, in words and as a check.
template <class T>
struct Expected {
  std::string text = {};
  std::function<bool(const T&)> holds = nullptr;
};

inline bool is_probability(double value) {
  return value > 0 && value < 1;
}

inline Expected<double> probability() {
  return {.text = "a number between 0 and 1", .holds = [](const double& value) { return is_probability(value); }};
}

inline Expected<std::vector<double>> probabilities() {
  return {.text = "numbers between 0 and 1, separated by commas", .holds = [](const std::vector<double>& values) {
            return !values.empty() && std::all_of(values.begin(), values.end(), is_probability);
          }};
}

inline Expected<double> positive_number() {
  return {.text = "a number above 0", .holds = [](const double& value) { return value > 0; }};
}

template <class T>
Expected<T> whole_number(T least) {
  return {.text = fmt::format("a whole number from {}", least),
          .holds = [least](const T& value) { return value >= least; }};
}

template <class E>
Expected<E> one_of() {
  return {.text = "one of " + base::join(base::all_names<E>(), ", ")};
}

class Arguments {
 public:
  /// `--help` lists the arguments that follow under this title.
  void group(std::string title) { group_ = std::move(title); }

  /// All return what was added, valid until the next one is.
  Argument& add(Argument argument);

  Argument& file(std::string name, std::string& into, std::string help);  ///< must be given, if nobody says otherwise
  Argument& files(std::string name, std::vector<std::string>& into,
                  std::string help);  ///< one or more; the last position
  Argument& toggle(std::string name, bool& into, std::string help);

  /// An option of any type that base::FieldText knows, or an optional one. Its default is what `into` holds now; an
  /// optional has none.
  template <class T>
  Argument& option(std::string names, std::string value, T& into, std::string help, Expected<T> expected = {});
  template <class T>
  Argument& option(std::string names, std::string value, std::optional<T>& into, std::string help,
                   Expected<T> expected = {});

  /// The rows of a table; they set fields of `into`.
  template <class Options>
  void options(const base::OptionTable<Options>& table, Options& into);

  const std::vector<Argument>& all() const { return arguments_; }

  /// Sets what was given, in the order of declaration; throws usage. False: help was asked for, and nothing was set.
  bool parse(std::span<const std::string> given) const;

 private:
  std::vector<Argument> arguments_;
  std::string group_ = "Options";
};

/// "-o,--output" -> "--output": the name used in sentences.
std::string long_name(const Argument& argument);

/// The names of an option, its opposite last.
std::vector<std::string> names_of(const Argument& argument);

/// The parts that columns play, and the format of the table.
base::OptionTable<DatasetOptions> dataset_options();

/// An option that takes columns: `a,b`, or `"a, with comma",b` with quotes as in CSV files.
void columns_option(Arguments& arguments, const std::string& flag, std::vector<std::string>& into,
                    const std::string& help);

/// An option that takes one column.
void column_option(Arguments& arguments, const std::string& flag, std::string& into, const std::string& help);

/// `--header` and `--delimiter`.
void format_options(Arguments& arguments, TableFormat& format);

// ---- implementation ----

template <class T>
T parse_value(std::string_view name, std::string_view text, const Expected<T>& expected) {
  std::optional<T> value;
  base::explain(name, text, expected.text, [&] {
    value = base::FieldText<T>::parse(text);
    base::require(!expected.holds || expected.holds(*value), ErrorCode::usage, "out of range");
  });
  return *std::move(value);
}

template <class T>
Argument& Arguments::option(std::string names, std::string value, T& into, std::string help, Expected<T> expected) {
  Argument argument{.names = std::move(names), .value = std::move(value), .help = std::move(help)};
  argument.shown_default = base::to_text(base::FieldText<T>::value(into));
  argument.choices = base::choices_of<base::FieldText<T>>();
  argument.set = [&into, expected, name = long_name(argument)](const std::string& text) {
    into = parse_value(name, text, expected);
  };
  return add(std::move(argument));
}

template <class T>
Argument& Arguments::option(std::string names, std::string value, std::optional<T>& into, std::string help,
                            Expected<T> expected) {
  Argument argument{.names = std::move(names), .value = std::move(value), .help = std::move(help)};
  argument.choices = base::choices_of<base::FieldText<T>>();
  argument.set = [&into, expected, name = long_name(argument)](const std::string& text) {
    into = parse_value(name, text, expected);
  };
  return add(std::move(argument));
}

/// The recipe decides stored options that are not given; others say in their help what holds then.
template <class Options>
void Arguments::options(const base::OptionTable<Options>& table, Options& into) {
  for (const base::Option<Options>& option : table.options()) {
    const std::string text = base::to_text(option.get(into));
    add({.names = base::flag_of(option.name),
         .value = option.value,
         .help = option.is_switch() ? option.help : fmt::format("{}: {}", option.help, option.expects),
         .shown_default = text.empty() && option.is_stored ? "the recipe's" : text,
         .has_opposite = option.is_switch(),
         .set = [option, &into](const std::string& word) { option.set(into, word); },
         .group = option.group,
         .choices = option.choices});
  }
}

}  // namespace credens::cli
