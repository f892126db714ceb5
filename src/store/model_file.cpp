// SPDX-License-Identifier: Apache-2.0

#include "store/model_file.hpp"

#include <credens/store.hpp>

#include <algorithm>
#include <fstream>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "store/model_document.hpp"
#include "store/storable.hpp"
#include "store/with_path.hpp"

namespace credens::store {

namespace {

/// Numbers of eight bytes first, so that each tensor is aligned.
std::vector<Tensor> tensors_of(const std::vector<model::Member>& members) {
  std::vector<Tensor> tensors;
  for (const model::Member& member : members) append_posterior_tensors(member, tensors);
  for (const model::Member& member : members) append_network_tensors(member, tensors);
  return tensors;
}

/// Checks the frame of the container. A file that cannot be read passes: reading it whole reports that.
void check_first_bytes(const std::filesystem::path& path) {
  constexpr std::size_t enough = 16;
  std::string first_bytes(enough, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(first_bytes.data(), static_cast<std::streamsize>(first_bytes.size()));
  first_bytes.resize(static_cast<std::size_t>(file.gcount()));
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && first_bytes.size() == std::min<std::uintmax_t>(size, enough)) check_frame(first_bytes, size);
}

}  // namespace

std::string encode_model(const Ensemble& ensemble) {
  const model::EnsembleState& state = ensemble.state();
  check_storable(state);
  return encode_safetensors({{std::string(model_key), document_text(to_document(state))}}, tensors_of(state.members));
}

Ensemble decode_model(std::string_view bytes) {
  const SafetensorsReader file(bytes);
  const Json json = open_document(file, model_key);
  TensorMap tensors = file.tensors();
  file.check_checksum();

  ModelDocument document = read_document(json);
  for (const MemberOutline& outline : document.members) document.state.members.push_back(read_member(outline, tensors));
  check_all_taken(tensors);
  check_storable(document.state);
  return Ensemble(std::make_shared<const model::EnsembleState>(std::move(document.state)));
}

std::string read_container(const std::filesystem::path& path) {
  std::error_code ignored;
  base::require(!std::filesystem::is_character_file(path, ignored), ErrorCode::io, "{}: is a device, expected a file",
                path.string());
  if (std::filesystem::is_regular_file(path, ignored)) check_first_bytes(path);
  return base::read_file(path);
}

}  // namespace credens::store

namespace credens {

void save(const Ensemble& ensemble, const std::filesystem::path& path) {
  const std::string bytes = store::with_path(path, [&] { return store::encode_model(ensemble); });
  base::OutputFile file(path);
  file.write(bytes);
  file.commit();
}

Ensemble load(const std::filesystem::path& path) {
  return store::with_path(path, [&] { return store::decode_model(store::read_container(path)); });
}

}  // namespace credens
