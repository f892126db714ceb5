// SPDX-License-Identifier: Apache-2.0
//
// The JSON document of a model file, beside the tensors of a model of three members that differ, of one with words,
// missing numbers and dates, or of one of classes.

#include <cstring>
#include <optional>

#include "base/file.hpp"
#include "fuzz/fuzz.hpp"
#include "store/model_document.hpp"
#include "store/model_file.hpp"

namespace credens::fuzz {

namespace {

template <class Number>
std::vector<Number> numbers_of(std::string_view bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::vector<store::Tensor> tensors_of_file(const char* path) {
  const std::string bytes = base::read_file(path);
  std::vector<store::Tensor> tensors;
  for (const auto& [name, view] : store::SafetensorsReader(bytes).tensors()) {
    store::Tensor tensor{.name = name, .shape = view.shape, .values = numbers_of<float>("")};
    if (view.dtype == store::Dtype::f32) {
      tensor.values = numbers_of<float>(view.bytes);
    } else {
      tensor.values = numbers_of<double>(view.bytes);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

const std::vector<store::Tensor>& tensors_for(std::string_view document) {
  static const std::vector<store::Tensor> numbers = tensors_of_file(CREDENS_FUZZ_FORMATS "/v1.safetensors");
  static const std::vector<store::Tensor> words = tensors_of_file(CREDENS_FUZZ_CORPUS "/model/words");
  static const std::vector<store::Tensor> classes = tensors_of_file(CREDENS_FUZZ_CORPUS "/model/classes");
  const auto says = [document](std::string_view word) { return document.find(word) != std::string_view::npos; };
  return says("\"classification\"") ? classes : says("\"category\"") ? words : numbers;
}

/// A model file with this document; nothing where no header could hold it, as it is not UTF-8.
std::optional<std::string> file_with(std::string_view document, const std::vector<store::Tensor>& tensors) {
  try {
    return store::encode_safetensors({{std::string(store::model_key), std::string(document)}}, tensors);
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

}  // namespace credens::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace credens;
  const std::string_view document = fuzz::text_of(data, size);
  const auto bytes = fuzz::file_with(document, fuzz::tensors_for(document));
  if (!bytes) return 0;
  fuzz::survives([&] {
    const std::string again = store::encode_model(store::decode_model(*bytes));
    fuzz::must(store::encode_model(store::decode_model(again)) == again, "a document survives saving");
  });
  return 0;
}
