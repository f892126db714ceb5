// SPDX-License-Identifier: Apache-2.0

#include "store/json.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace credens::store {

namespace {

/// Watches a parse and stops it as soon as a limit is passed or a key comes again.
template <class AnyJson>
class ParseGuard {
 public:
  using Event = typename AnyJson::parse_event_t;

  ParseGuard(std::string_view what, ErrorCode code, const JsonLimits& limits)
      : what_(what), code_(code), limits_(limits) {}

  bool operator()(int depth, Event event, const AnyJson& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens) {
      base::require(static_cast<std::size_t>(depth) < limits_.depth, code_, "{} is nested deeper than {} levels", what_,
                    limits_.depth);
    }
    if (opens || event == Event::value) {
      base::require(++values_ <= limits_.values, code_, "{} holds more than {} values", what_, limits_.values);
    }
    if (event == Event::object_start) open_objects_.emplace_back();
    if (event == Event::object_end) open_objects_.pop_back();
    if (event == Event::key) add_key(parsed.template get_ref<const std::string&>());
    return true;
  }

 private:
  void add_key(const std::string& key) {
    auto& keys = open_objects_.back();
    base::require(keys.insert(key).second, code_, "{} repeats the key {}", what_, base::quoted(key));
    base::require(keys.size() <= limits_.keys_per_object, code_, "{} has an object with more than {} keys", what_,
                  limits_.keys_per_object);
  }

  std::string_view what_;
  ErrorCode code_;
  JsonLimits limits_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> open_objects_;
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
  ParseGuard<AnyJson> guard(what, code, limits);
  try {
    return AnyJson::parse(text,
                          [&guard](int depth, auto event, AnyJson& parsed) { return guard(depth, event, parsed); });
  } catch (const nlohmann::detail::parse_error& error) {
    base::fail(code, "{} is not valid JSON at byte {}", what, error.byte);
  } catch (const nlohmann::detail::exception&) {
    base::fail(code, "{} is not valid JSON: it holds a number that is out of range", what);
  }
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
