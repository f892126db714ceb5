// SPDX-License-Identifier: Apache-2.0
//
// One table per options struct. Flags, TOML keys, model metadata and the parameter page are all read from it.

#pragma once

#include <credens/choice.hpp>

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

/// The type of a field's value: that of a choice once it is made.
template <class T>
struct Settled {
  using type = T;
};
template <class T>
struct Settled<Choice<T>> {
  using type = T;
};

/// One row of a table. `Options` is the struct it belongs to.
template <class Options>
struct Option {
  std::string name;        ///< snake_case; the flag is --snake-case
  std::string help;        ///< one sentence, no full stop
  std::string expects;     ///< range or choices, in words
  bool determines_result;  ///< stored with the model
  bool is_switch;          ///< bool: the flag takes no value
  std::function<OptionValue(const Options&)> get;
  std::function<bool(const Options&)> is_given = [](const Options&) { return true; };  ///< false: a choice not made
  std::function<void(Options&, std::string_view text)> set;  ///< throws usage: what was found, what was expected
};

template <class Options>
class OptionTable {
 public:
  /// `member` is a pointer to a field. The default is read from a fresh Options. `holds` is the range check.
  template <class T>
  OptionTable& add(std::string name, T Options::*member, std::string help, std::string expects,
                   std::function<bool(const typename Settled<T>::type&)> holds = nullptr,
                   bool determines_result = true);

  const std::vector<Option<Options>>& options() const { return options_; }
  const Option<Options>* find(std::string_view name) const;
  std::vector<std::string> names() const;

  /// All values that are given, or only those that determine the result, in table order.
  OptionValues values(const Options& options, bool stored_only) const;

 private:
  std::vector<Option<Options>> options_;
};

/// "learning_rate" -> "--learning-rate".
std::string flag_of(std::string_view name);

// ---- implementation ----

template <class T>
  requires std::is_enum_v<T>
struct FieldText<T> {
  static T parse(std::string_view text) { return parse_enum<T>(text); }
  static OptionValue value(T field) { return std::string(name_of(field)); }
};

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
  /// What is too large for the shared integer travels as text.
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
};

/// A choice that nobody made reads as an empty text.
template <class T>
struct FieldText<Choice<T>> {
  static OptionValue value(const Choice<T>& field) {
    return field.is_given() ? FieldText<T>::value(*field) : OptionValue(std::string());
  }
};

template <class Options>
template <class T>
OptionTable<Options>& OptionTable<Options>::add(std::string name, T Options::*member, std::string help,
                                                std::string expects,
                                                std::function<bool(const typename Settled<T>::type&)> holds,
                                                bool determines_result) {
  using Value = typename Settled<T>::type;
  Option<Options> option;
  option.get = [member](const Options& options) { return FieldText<T>::value(options.*member); };
  if constexpr (!std::is_same_v<T, Value>) {
    option.is_given = [member](const Options& options) { return (options.*member).is_given(); };
  }
  option.set = [member, holds, name, expects](Options& options, std::string_view text) {
    Value value{};
    bool usable = true;
    try {
      value = FieldText<Value>::parse(text);
    } catch (const Error&) {
      usable = false;
    }
    require(usable && (!holds || holds(value)), ErrorCode::usage, "{} is {}, expected {}", flag_of(name), quoted(text),
            expects);
    options.*member = std::move(value);
  };
  option.name = std::move(name);
  option.help = std::move(help);
  option.expects = std::move(expects);
  option.determines_result = determines_result;
  option.is_switch = std::is_same_v<Value, bool>;
  options_.push_back(std::move(option));
  return *this;
}

template <class Options>
const Option<Options>* OptionTable<Options>::find(std::string_view name) const {
  for (const auto& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

template <class Options>
std::vector<std::string> OptionTable<Options>::names() const {
  std::vector<std::string> names;
  for (const auto& option : options_) names.push_back(option.name);
  return names;
}

template <class Options>
OptionValues OptionTable<Options>::values(const Options& options, bool stored_only) const {
  OptionValues values;
  for (const auto& option : options_) {
    const bool is_wanted = !stored_only || option.determines_result;
    if (is_wanted && option.is_given(options)) values.emplace_back(option.name, option.get(options));
  }
  return values;
}

}  // namespace credens::base
