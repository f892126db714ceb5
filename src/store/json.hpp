// SPDX-License-Identifier: Apache-2.0
//
// JSON from strangers: parsed within limits, read field by field with sentences that name the place.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/check.hpp"
#include "base/text.hpp"

namespace credens::store {

/// Keys keep their order, so that equal content has equal bytes. Looking a key up takes time linear in their number.
using Json = nlohmann::ordered_json;

/// For objects with many keys.
using SortedJson = nlohmann::json;

/// Bounds on what parsing may cost; a parsed value takes up to about 60 bytes of memory.
struct JsonLimits {
  std::size_t depth = 8;
  std::size_t keys_per_object = 256;
  std::size_t values = 16'000'000;
};

/// Throws `code`, calling the text `what`, unless it is one JSON value within the limits and no object repeats a key.
template <class AnyJson>
AnyJson parse_json(std::string_view text, std::string_view what, ErrorCode code, const JsonLimits& limits = {});

/// An object with known keys. Sentences: "members[3].gamma is text, expected a number".
class JsonObject {
 public:
  /// Throws unless `value` is an object and all its keys are among `keys`. `place` is empty for the whole document.
  JsonObject(const Json& value, std::string place, ErrorCode code, const std::vector<std::string>& keys);

  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;
  const Json& at(std::string_view key) const;        ///< throws where it is missing
  std::string place_of(std::string_view key) const;  ///< how sentences name the field
  JsonObject object(std::string_view key, const std::vector<std::string>& keys) const;
  std::vector<JsonObject> objects(std::string_view key, const std::vector<std::string>& keys) const;

  bool flag(std::string_view key) const;
  std::string text(std::string_view key) const;
  double number(std::string_view key) const;
  std::optional<double> number_or_null(std::string_view key) const;
  std::uint64_t whole(std::string_view key) const;  ///< a whole number >= 0
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::uint64_t> wholes(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

  template <class E>
  E choice(std::string_view key) const {
    const std::string name = text(key);
    const auto value = base::find_enum<E>(name);
    base::require(value.has_value(), code_, "{} {} is unknown, expected one of {}", place_of(key), base::quoted(name),
                  base::join(base::all_names<E>(), ", "));
    return *value;
  }

 private:
  const Json* value_;
  std::string place_;
  ErrorCode code_;
};

Json number_or_null(const std::optional<double>& value);

}  // namespace credens::store
