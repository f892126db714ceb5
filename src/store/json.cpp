// SPDX-License-Identifier: Apache-2.0

#include "store/json.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace credens::store {

namespace {

/// Builds a value event by event and stops as soon as a limit is passed or a key comes again. A callback of the parser
/// could stop too, but with it each end of an object costs a walk through all that stands before it.
template <class AnyJson>
class GuardedBuilder {
 public:
  GuardedBuilder(std::string_view what, ErrorCode code, const JsonLimits& limits)
      : what_(what), code_(code), limits_(limits) {}

  AnyJson take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string& /*text*/) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(typename AnyJson::binary_t& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(AnyJson::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t /*size*/) { return open(AnyJson::array()); }
  bool end_array() { return close(); }

  bool key(const std::string& name) {
    auto& object = open_.back()->template get_ref<typename AnyJson::object_t&>();
    const auto [place, is_new] = object.emplace(name, nullptr);
    base::require(is_new, code_, "{} repeats the key {}", what_, base::quoted(name));
    base::require(object.size() <= limits_.keys_per_object, code_, "{} has an object with more than {} keys", what_,
                  limits_.keys_per_object);
    value_of_key_ = &place->second;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const nlohmann::detail::exception& error) {
    constexpr int number_out_of_range = 406;
    base::require(error.id != number_out_of_range, code_,
                  "{} is not valid JSON: it holds a number that is out of range", what_);
    base::fail(code_, "{} is not valid JSON at byte {}", what_, byte);
  }

 private:
  bool add(AnyJson value) {
    base::require(++values_ <= limits_.values, code_, "{} holds more than {} values", what_, limits_.values);
    added_ = &root_;
    if (!open_.empty()) added_ = open_.back()->is_array() ? &open_.back()->emplace_back() : value_of_key_;
    *added_ = std::move(value);
    return true;
  }

  bool open(AnyJson value) {
    base::require(open_.size() < limits_.depth, code_, "{} is nested deeper than {} levels", what_, limits_.depth);
    add(std::move(value));
    open_.push_back(added_);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view what_;
  ErrorCode code_;
  JsonLimits limits_;
  AnyJson root_;
  AnyJson* value_of_key_ = nullptr;
  AnyJson* added_ = nullptr;
  std::vector<AnyJson*> open_;  ///< arrays and objects around what comes next
  std::size_t values_ = 0;
};

std::string_view kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::string:
      return "text";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::number_unsigned:
      return "a whole number";
    case Json::value_t::number_integer:
      return "a negative whole number";
    default:
      return "a number";
  }
}

void expect(bool holds, const Json& value, std::string_view expected, const std::string& place, ErrorCode code) {
  base::require(holds, code, "{} is {}, expected {}", place, kind_of(value), expected);
}

double as_number(const Json& value, const std::string& place, ErrorCode code) {
  expect(value.is_number(), value, "a number", place, code);
  return value.get<double>();
}

std::uint64_t as_whole(const Json& value, const std::string& place, ErrorCode code) {
  expect(value.is_number_unsigned(), value, "a whole number that is not negative", place, code);
  return value.get<std::uint64_t>();
}

std::string as_text(const Json& value, const std::string& place, ErrorCode code) {
  expect(value.is_string(), value, "text", place, code);
  return value.get<std::string>();
}

/// read(item, its place) of each item of a list.
template <class Read>
auto as_list(const Json& value, const std::string& place, ErrorCode code, const Read& read) {
  expect(value.is_array(), value, "a list", place, code);
  std::vector<decltype(read(value, place))> items;
  items.reserve(value.size());
  for (const Json& item : value) items.push_back(read(item, fmt::format("{}[{}]", place, items.size())));
  return items;
}

}  // namespace

template <class AnyJson>
AnyJson parse_json(std::string_view text, std::string_view what, ErrorCode code, const JsonLimits& limits) {
  // The parser takes a zero byte for the end of its input; JSON has none.
  base::require(text.find('\0') == std::string_view::npos, code, "{} is not valid JSON: it holds a zero byte", what);
  GuardedBuilder<AnyJson> builder(what, code, limits);
  AnyJson::sax_parse(text, &builder);
  return builder.take();
}

template Json parse_json<Json>(std::string_view, std::string_view, ErrorCode, const JsonLimits&);
template SortedJson parse_json<SortedJson>(std::string_view, std::string_view, ErrorCode, const JsonLimits&);

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

JsonObject::JsonObject(const Json& value, std::string place, ErrorCode code, const std::vector<std::string>& keys)
    : value_(&value), place_(std::move(place)), code_(code) {
  expect(value.is_object(), value, "an object", place_.empty() ? "the document" : place_, code);
  for (const auto& [key, item] : value.items()) {
    const bool known = std::find(keys.begin(), keys.end(), key) != keys.end();
    base::require(known, code, "unknown key {}{}", base::quoted(place_of(key)), base::suggestion(key, keys));
  }
}

std::string JsonObject::place_of(std::string_view key) const {
  return place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
}

bool JsonObject::has(std::string_view key) const {
  return value_->contains(key);
}

bool JsonObject::is_null(std::string_view key) const {
  return at(key).is_null();
}

const Json& JsonObject::at(std::string_view key) const {
  const auto found = value_->find(key);
  base::require(found != value_->end(), code_, "{} is missing", place_of(key));
  return *found;
}

JsonObject JsonObject::object(std::string_view key, const std::vector<std::string>& keys) const {
  return {at(key), place_of(key), code_, keys};
}

std::vector<JsonObject> JsonObject::objects(std::string_view key, const std::vector<std::string>& keys) const {
  return as_list(at(key), place_of(key), code_,
                 [&](const Json& item, const std::string& place) { return JsonObject(item, place, code_, keys); });
}

bool JsonObject::flag(std::string_view key) const {
  const Json& value = at(key);
  expect(value.is_boolean(), value, "true or false", place_of(key), code_);
  return value.get<bool>();
}

std::string JsonObject::text(std::string_view key) const {
  return as_text(at(key), place_of(key), code_);
}

double JsonObject::number(std::string_view key) const {
  return as_number(at(key), place_of(key), code_);
}

std::optional<double> JsonObject::number_or_null(std::string_view key) const {
  return is_null(key) ? std::nullopt : std::optional(number(key));
}

std::uint64_t JsonObject::whole(std::string_view key) const {
  return as_whole(at(key), place_of(key), code_);
}

std::vector<double> JsonObject::numbers(std::string_view key) const {
  return as_list(at(key), place_of(key), code_,
                 [this](const Json& item, const std::string& place) { return as_number(item, place, code_); });
}

std::vector<std::uint64_t> JsonObject::wholes(std::string_view key) const {
  return as_list(at(key), place_of(key), code_,
                 [this](const Json& item, const std::string& place) { return as_whole(item, place, code_); });
}

std::vector<std::string> JsonObject::texts(std::string_view key) const {
  return as_list(at(key), place_of(key), code_,
                 [this](const Json& item, const std::string& place) { return as_text(item, place, code_); });
}

}  // namespace credens::store
