// SPDX-License-Identifier: Apache-2.0
//
// Model files, as they are and with their checksum set right, so that damage gets past it.

#include "store/model_file.hpp"

#include <algorithm>
#include <limits>

#include "fuzz/fuzz.hpp"
#include "store/safetensors.hpp"

namespace credens::fuzz {

namespace {

std::string stamped(std::string_view bytes) {
  constexpr std::string_view start = "\"credens_checksum\":\"";
  std::string copy(bytes);
  const std::size_t found = copy.find(start);
  if (found == std::string::npos || copy.size() - found < start.size() + store::checksum_digits) return copy;
  const std::size_t at = found + start.size();
  return copy.replace(at, store::checksum_digits, store::checksum(copy, at));
}

void use(const Ensemble& ensemble) {
  const std::string bytes = store::encode_model(ensemble);
  must(store::encode_model(store::decode_model(bytes)) == bytes, "what was loaded can be saved and loaded again");
  if (!ensemble.has_networks()) return;
  // Numbers, codes of words, missing cells.
  for (const double cell : {0.5, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const Matrix inputs(2, ensemble.inputs(), cell);
    survives([&] {
      if (ensemble.task() == Task::classification) {
        const ClassPredictive classes = ensemble.predict_classes(inputs, {.threads = 1});
        must(std::ranges::all_of(classes.entropy, [](double value) { return value >= 0; }), "entropies are numbers");
      } else {
        ensemble.predict(inputs, {.threads = 1}).total_variance();
      }
    });
  }
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  const std::string_view bytes = fuzz::text_of(data, size);
  fuzz::survives([&] { store::decode_model(bytes); });
  fuzz::survives([&] { fuzz::use(store::decode_model(fuzz::stamped(bytes))); });
  return 0;
}
