// SPDX-License-Identifier: Apache-2.0

#include "store/checkpoint.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/temporary.hpp"
#include "model/names.hpp"
#include "store/files.hpp"
#include "store/merge.hpp"
#include "store/model_document.hpp"
#include "store/model_file.hpp"

namespace credens::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_start = "member-";

std::string file_name(std::size_t member) {
  return fmt::format("{}{:05}.safetensors", name_start, member);
}

/// The member that a file of this name holds; none for any other name.
std::optional<std::size_t> member_of(std::string_view name) {
  if (!name.starts_with(name_start)) return std::nullopt;
  const auto number = base::parse_integer(name.substr(name_start.size(), name.find('.') - name_start.size()));
  if (!number || *number < 0 || file_name(static_cast<std::size_t>(*number)) != name) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

/// Names in the folder; none if it is absent.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) names.push_back(entry->path().filename());
  base::require(!error, ErrorCode::io, "{}: cannot read the folder: {}", folder.string(),
                base::error_text(error.value()));
  return names;
}

/// Finished members and their files, ascending.
std::map<std::size_t, fs::path> members_in(const fs::path& folder) {
  std::map<std::size_t, fs::path> members;
  for (const std::string& name : names_in(folder)) {
    if (const auto member = member_of(name)) members.emplace(*member, folder / name);
  }
  return members;
}

std::vector<std::size_t> table_rows(const model::MlpShape& shape) {
  std::vector<std::size_t> rows;
  for (const data::LevelTable& table : shape.tables) rows.push_back(table.rows);
  return rows;
}

Json to_document(const model::Member& member, const FitIdentity& identity) {
  const model::MlpShape& shape = member.network->shape();
  Json document = {
      {"format_version", format_version},
      {"version", identity.version},
      {"options", options_to_json(identity.options)},
      {"data", data_to_json(identity.data)},
      {"inputs", shape.inputs},
      {"flags", shape.flags},
      {"table_rows", table_rows(shape)},
      {"outputs", shape.outputs},
      {"noise", {{"kind", base::name_of(shape.noise)}, {"link", base::name_of(shape.noise_link)}}},
      {"posterior", {{"kind", base::name_of(member.posterior.kind)}, {"random_bias", member.posterior.random_bias}}},
      {"member", member_to_json(member)}};
  if (shape.has_classes()) document["task"] = base::name_of(shape.task);
  return document;
}

CommonParts read_common(const JsonObject& document) {
  const JsonObject noise = document.object("noise", {"kind", "link"});
  const JsonObject posterior = document.object("posterior", {"kind", "random_bias"});
  CommonParts common;
  common.shape.inputs = document.whole("inputs");
  common.shape.flags = document.whole("flags");
  for (const std::uint64_t rows : document.wholes("table_rows")) {
    base::require(rows >= 3, ErrorCode::model, "table_rows has {}, expected at least 3", rows);
    common.shape.tables.push_back(data::InputEncoding{.kind = ColumnKind::category, .learned = rows - 3}.table());
  }
  if (document.has("task")) common.shape.task = document.choice<Task>("task");
  common.shape.outputs = document.whole("outputs");
  common.shape.noise = noise.choice<NoiseKind>("kind");
  common.shape.noise_link = noise.choice<NoiseLink>("link");
  common.posterior.kind = posterior.choice<PosteriorKind>("kind");
  common.posterior.random_bias = posterior.flag("random_bias");
  base::require(common.shape.row_width() > 0 && common.shape.outputs > 0, ErrorCode::model,
                "the member has no inputs or no outputs");
  return common;
}

void check_identity(const FitIdentity& found, const FitIdentity& now) {
  auto difference = option_difference(found.options, now.options, "now");
  if (!difference) difference = data_difference(found.data, now.data, "now");
  if (!difference && found.version != now.version) {
    difference = fmt::format("Credens {}, now {}", found.version, now.version);
  }
  base::require(!difference, ErrorCode::usage, "this checkpoint was made with {}", difference.value_or(""));
}

}  // namespace

std::string encode_member(const model::Member& member, const FitIdentity& identity) {
  check_storable(member);
  std::vector<Tensor> tensors;
  append_posterior_tensors(member, tensors);
  append_network_tensors(member, tensors);
  return encode_safetensors({{std::string(member_key), document_text(to_document(member, identity))}}, tensors);
}

model::Member decode_member(std::string_view bytes, std::size_t index, const FitIdentity& identity) {
  const SafetensorsReader file(bytes);
  const Json json = open_document(file, member_key);
  TensorMap tensors = file.tensors();
  file.check_checksum();

  const JsonObject document(json, "", ErrorCode::model,
                            {"format_version", "version", "options", "data", "inputs", "flags", "table_rows", "outputs",
                             "noise", "posterior", "member", "task"});
  check_identity({read_options(document), read_data(document), document.text("version")}, identity);
  const JsonObject object = document.object("member", member_keys());
  base::require(object.whole("index") == index, ErrorCode::model, "it holds member {}, expected member {}",
                object.whole("index"), index);
  model::Member member = read_member(object, read_common(document), tensors);
  check_all_taken(tensors);
  check_storable(member);
  return member;
}

Checkpoint::Checkpoint(fs::path folder, FitIdentity identity)
    : folder_(std::move(folder)), identity_(std::move(identity)) {}

std::vector<model::Member> Checkpoint::load() const {
  std::vector<model::Member> members;
  for (const auto& [index, path] : members_in(folder_)) {
    members.push_back(with_path(path, [&, expected = index, &file = path] {
      return decode_member(read_container(file), expected, identity_);
    }));
  }
  return members;
}

void Checkpoint::save(const model::Member& member) const {
  base::require(member.network != nullptr, ErrorCode::usage,
                "member {} has no network, so there is nothing to keep of it", member.index);
  base::make_folder(folder_);
  const fs::path path = folder_ / file_name(member.index);
  with_path(path, [&] { base::write_file(path, encode_member(member, identity_)); });
}

void Checkpoint::remove() const {
  for (const std::string& name : names_in(folder_)) {
    if (!member_of(name) && !base::is_temporary(name)) continue;
    std::error_code error;
    fs::remove(folder_ / name, error);
    base::require(!error, ErrorCode::io, "{}: cannot remove: {}", (folder_ / name).string(),
                  base::error_text(error.value()));
  }
  std::error_code not_empty_or_absent;
  fs::remove(folder_, not_empty_or_absent);
}

bool Checkpoint::exists() const {
  return !members_in(folder_).empty();
}

}  // namespace credens::store
