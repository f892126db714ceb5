// SPDX-License-Identifier: Apache-2.0
//
// JSON within limits.

#include "store/json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.hpp"

namespace credens::fuzz {

namespace {

constexpr store::JsonLimits limits{.depth = 4, .keys_per_object = 8, .values = 64};

template <class AnyJson>
void measure(const AnyJson& value, std::size_t depth, std::size_t& values) {
  must(++values <= limits.values, "there are no more values than allowed");
  if (!value.is_structured()) return;
  must(depth < limits.depth, "values are nested no deeper than allowed");
  must(value.is_array() || value.size() <= limits.keys_per_object, "there are no more keys than allowed");
  for (const AnyJson& item : value) measure(item, depth + 1, values);
}

/// Whether the text was taken.
template <class AnyJson>
bool read(std::string_view text, std::string& dumped) {
  return survives([&] {
    const auto value = store::parse_json<AnyJson>(text, "text", ErrorCode::model, limits);
    std::size_t values = 0;
    measure(value, 0, values);
    dumped = value.dump();
    must(store::parse_json<AnyJson>(dumped, "text", ErrorCode::model, limits) == value,
         "JSON is read as it was written");
  });
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  const std::string_view text = fuzz::text_of(data, size);
  std::string ordered;
  std::string sorted;
  const bool is_taken = fuzz::read<store::Json>(text, ordered);
  fuzz::must(fuzz::read<store::SortedJson>(text, sorted) == is_taken, "both kinds of objects take the same text");
  if (!is_taken) return 0;
  fuzz::must(store::SortedJson::accept(text), "what is taken is JSON");
  fuzz::must(store::SortedJson::parse(ordered) == store::SortedJson::parse(sorted), "both kinds hold the same");
  return 0;
}
