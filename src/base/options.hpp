// SPDX-License-Identifier: Apache-2.0
//
// One table per options struct. Flags, help, TOML keys, model metadata, Python keywords and docs/parameters.md are all
// read from it.

#pragma once

#include <credens/choice.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::base {

/// An option's value in one of the types that flags, TOML and JSON share. Lists and enumerators travel as text.
using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

/// Named values in the order of their table, e.g. the options that made a model.
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;

std::string to_text(const OptionValue& value);

/// How a field is read from and written as text; throws usage without the option's name. Specialised for enums,
/// numbers, lists.
template <class T>
struct FieldText;

/// One row of a table. `Options` is the struct it belongs to.
template <class Options>
struct Option {
  std::string name;          ///< snake_case; the flag is --snake-case
  std::string value = {};    ///< how help calls the value: COUNT, NAME; empty: a switch, whose flag takes no value
  std::string group = {};    ///< title under which help and docs/parameters.md list it
  std::string help = {};     ///< one sentence, no full stop
  std::string expects = {};  ///< range or choices, in words
  std::vector<std::string> choices = {};  ///< the values that a shell can complete
  bool is_stored = true;                  ///< with the model: the option determines the result
  std::function<OptionValue(const Options&)> get = {};
  std::function<bool(const Options&)> is_given = [](const Options&) { return true; };  ///< false: a choice not made
  std::function<void(Options&, std::string_view text)> set = {};  ///< throws usage: what was found, what was expected

  bool is_switch() const { return value.empty(); }
};

/// "learning_rate" -> "--learning-rate".
std::string flag_of(std::string_view name);

/// A text as an item of a list separated by commas: quoted as in CSV files where it must be.
std::string list_item(const std::string& text);

/// Runs `parse`; where it throws, throws usage in its place: `--level is "2", expected a number between 0 and 1`.
void explain(std::string_view name, std::string_view text, std::string_view expects,
             const std::function<void()>& parse);

template <class T>
  requires std::is_enum_v<T>
struct FieldText<T> {
  static T parse(std::string_view text) { return parse_enum<T>(text); }
  static OptionValue value(T field) { return std::string(name_of(field)); }
  static std::vector<std::string> choices() { return all_names<T>(); }
};

/// The values of a type that has few; of others none.
template <class Text>
std::vector<std::string> choices_of() {
  if constexpr (requires { Text::choices(); }) return Text::choices();
  return {};
}

template <>
struct FieldText<bool> {
  static bool parse(std::string_view text);
  static OptionValue value(bool field) { return field; }
};

template <>
struct FieldText<double> {
  static double parse(std::string_view text);
  static OptionValue value(double field) { return field; }
};

template <>
struct FieldText<std::string> {
  static std::string parse(std::string_view text) { return std::string(text); }
  static OptionValue value(const std::string& field) { return field; }
};

template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct FieldText<T> {
  static T parse(std::string_view text) {
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    require(error == std::errc() && end == text.data() + text.size(), ErrorCode::usage,
            "{} is not a whole number in range", quoted(text));
    return value;
  }
  /// A number that is too large for the shared integer travels as text.
  static OptionValue value(T field) {
    if (std::in_range<std::int64_t>(field)) return static_cast<std::int64_t>(field);
    return fmt::format("{}", field);
  }
};

/// Comma-separated.
template <class T>
struct FieldText<std::vector<T>> {
  static std::vector<T> parse(std::string_view text) {
    std::vector<T> values;
    if (text.empty()) return values;
    for (const std::string& word : split(text, ',')) values.push_back(FieldText<T>::parse(trim(word)));
    return values;
  }
  static OptionValue value(const std::vector<T>& field) {
    std::vector<std::string> words;
    for (const T& item : field) words.push_back(to_text(FieldText<T>::value(item)));
    return join(words, ",");
  }
  static std::vector<std::string> choices() { return choices_of<FieldText<T>>(); }
};

/// Comma-separated; an item with a comma stands in quotes, `"a, b",c`, and a quote in it twice. No item is empty.
template <>
struct FieldText<std::vector<std::string>> {
  static std::vector<std::string> parse(std::string_view text);
  static OptionValue value(const std::vector<std::string>& field);
};

/// A choice that nobody made reads as an empty text.
template <class T>
struct FieldText<Choice<T>> {
  static T parse(std::string_view text) { return FieldText<T>::parse(text); }
  static OptionValue value(const Choice<T>& field) {
    return field.is_given() ? FieldText<T>::value(*field) : OptionValue(std::string());
  }
  static std::vector<std::string> choices() { return choices_of<FieldText<T>>(); }
};

/// The type of the field that `Access`, a pointer to member or a function, finds in an Options.
template <class Access, class Options>
using FieldOf = std::remove_cvref_t<std::invoke_result_t<const Access&, Options&>>;

/// The type that `Text` parses to: for a Choice<T> a T.
template <class Text>
using ParsedBy = decltype(Text::parse(std::string_view()));

/// Rows are added in the order of help, files and documents.
template <class Options>
class OptionTable {
 public:
  /// Rows that follow belong to this group.
  OptionTable& group(std::string title) {
    group_ = std::move(title);
    return *this;
  }

  /// A row whose flag takes a value. Its default is read from a fresh Options. `holds` is the range check.
  template <class Access>
  OptionTable& add(std::string name, std::string value, Access field, std::string help, std::string expects,
                   std::function<bool(const ParsedBy<FieldText<FieldOf<Access, Options>>>&)> holds = nullptr) {
    return add_as<FieldText<FieldOf<Access, Options>>>(std::move(name), std::move(value), field, std::move(help),
                                                       std::move(expects), std::move(holds));
  }

  /// A row with the flags --name and --no-name.
  template <class Access>
  OptionTable& add_switch(std::string name, Access field, std::string help) {
    return add(std::move(name), "", field, std::move(help), "true or false");
  }

  /// A row whose field is read and written by `Text` in place of FieldText.
  template <class Text, class Access>
  OptionTable& add_as(std::string name, std::string value, Access field, std::string help, std::string expects,
                      std::function<bool(const ParsedBy<Text>&)> holds = nullptr) {
    Option<Options> option{.name = std::move(name),
                           .value = std::move(value),
                           .group = group_,
                           .help = std::move(help),
                           .expects = std::move(expects),
                           .choices = choices_of<Text>()};
    option.get = [field](const Options& options) { return Text::value(std::invoke(field, options)); };
    if constexpr (requires(const Options& options) { std::invoke(field, options).is_given(); }) {
      option.is_given = [field](const Options& options) { return std::invoke(field, options).is_given(); };
    }
    option.set = [field, holds, name = option.name, expects = option.expects](Options& options, std::string_view text) {
      explain(flag_of(name), text, expects, [&] {
        auto parsed = Text::parse(text);
        require(!holds || holds(parsed), ErrorCode::usage, "out of range");
        std::invoke(field, options) = std::move(parsed);
      });
    };
    options_.push_back(std::move(option));
    return *this;
  }

  /// The last row has no effect on the result, or is recorded elsewhere in the model.
  OptionTable& not_stored() {
    options_.back().is_stored = false;
    return *this;
  }

  /// The rows of a table for the part of Options that `part` finds.
  template <class Part, class Access>
  OptionTable& include(const OptionTable<Part>& table, Access part) {
    for (const Option<Part>& row : table.options()) {
      options_.push_back(
          {.name = row.name,
           .value = row.value,
           .group = row.group,
           .help = row.help,
           .expects = row.expects,
           .choices = row.choices,
           .is_stored = row.is_stored,
           .get = [row, part](const Options& options) { return row.get(std::invoke(part, options)); },
           .is_given = [row, part](const Options& options) { return row.is_given(std::invoke(part, options)); },
           .set = [row, part](Options& options, std::string_view text) { row.set(std::invoke(part, options), text); }});
    }
    return *this;
  }

  const std::vector<Option<Options>>& options() const { return options_; }
  std::vector<Option<Options>>& options() { return options_; }

  const Option<Options>* find(std::string_view name) const {
    const auto found = std::ranges::find(options_, name, &Option<Options>::name);
    return found == options_.end() ? nullptr : &*found;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& option : options_) names.push_back(option.name);
    return names;
  }

  /// All values that are given, or only those that are stored, in table order.
  OptionValues values(const Options& options, bool stored_only) const {
    OptionValues values;
    for (const auto& option : options_) {
      const bool is_wanted = !stored_only || option.is_stored;
      if (is_wanted && option.is_given(options)) values.emplace_back(option.name, option.get(options));
    }
    return values;
  }

 private:
  std::vector<Option<Options>> options_;
  std::string group_;
};

}  // namespace credens::base
