// SPDX-License-Identifier: Apache-2.0
//
// Outputs folders: arrays of an ensemble at some rows, exchanged with other frameworks. docs/model-format.md describes
// the files.
//
// Letters: L members, N rows, p features, q outputs.

#include <credens/store.hpp>

#include <algorithm>
#include <span>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/npy.hpp"
#include "store/json.hpp"
#include "store/outputs_files.hpp"
#include "store/with_path.hpp"

namespace credens::store {

namespace {

namespace fs = std::filesystem;

bool same_shape(const std::vector<Matrix>& matrices) {
  return std::all_of(matrices.begin(), matrices.end(), [&](const Matrix& matrix) {
    return matrix.rows() == matrices.front().rows() && matrix.cols() == matrices.front().cols();
  });
}

std::string_view bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Matrices one behind the other.
void write_matrices(const fs::path& path, const std::vector<std::size_t>& shape, std::span<const Matrix> matrices) {
  base::OutputFile file(path);
  file.write(data::npy_header(shape));
  for (const Matrix& matrix : matrices) file.write(bytes_of(matrix.values()));
  file.commit();
}

void write_matrix(const fs::path& path, const Matrix& matrix) {
  write_matrices(path, {matrix.rows(), matrix.cols()}, {&matrix, 1});
}

/// One array for all members where their shapes agree, else one for each.
void write_members(const fs::path& folder, std::string_view array, const std::vector<Matrix>& members) {
  if (!same_shape(members)) {
    for (std::size_t l = 0; l < members.size(); ++l) write_matrix(folder / array_name(array, l), members[l]);
    return;
  }
  write_matrices(folder / array_name(array), {members.size(), members.front().rows(), members.front().cols()}, members);
}

/// Variances with one column for each output where some member has them and others share one: the file has one width
/// for all.
std::vector<Matrix> equal_widths(std::vector<Matrix> variance, std::size_t outputs) {
  if (same_shape(variance)) return variance;
  for (Matrix& member : variance) {
    if (member.cols() == outputs) continue;
    Matrix wide(member.rows(), outputs);
    for (std::size_t i = 0; i < member.rows(); ++i) std::fill(wide.row(i).begin(), wide.row(i).end(), member(i, 0));
    member = std::move(wide);
  }
  return variance;
}

std::string json_text(const OutputsFolder& folder) {
  const MemberOutputs& outputs = folder.outputs;
  Json json = {{"lambda", folder.prior_precision}};
  if (!outputs.target_scale.empty()) json["target_scale"] = outputs.target_scale;
  if (!outputs.target_shift.empty()) json["target_shift"] = outputs.target_shift;
  if (!outputs.target_names.empty()) json["target_names"] = outputs.target_names;
  if (!outputs.member_weights.empty()) json["member_weights"] = outputs.member_weights;
  try {
    return json.dump(2) + "\n";
  } catch (const Json::exception&) {
    base::fail(ErrorCode::data, "a target name is not UTF-8 text");
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The names that arrays may have: what an earlier ensemble may have left and a later one need not overwrite.
bool is_array_file(const fs::path& path) {
  const std::vector<std::string> parts = base::split(path.filename().string(), '.');
  if (parts.back() != "npy") return false;
  const std::string& array = parts.front();
  const bool for_one_member = array == "features" || array == "weights";
  if (parts.size() == 3) return for_one_member && is_number(parts[1]);
  return parts.size() == 2 &&
         (for_one_member || array == "mean" || array == "variance" || array == "targets" || array == "row_weights");
}

/// Without outputs.json a folder is no outputs folder: it goes first and comes back last.
void remove_old_files(const fs::path& folder) {
  std::error_code error;
  fs::remove(folder / outputs_json_name, error);
  base::require(!error, ErrorCode::io, "{}: cannot remove: {}", (folder / outputs_json_name).string(),
                base::error_text(error.value()));
  std::vector<fs::path> old;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (is_array_file(entry->path())) old.push_back(entry->path());
  }
  for (const fs::path& path : old) {
    if (!error) fs::remove(path, error);
  }
  base::require(!error, ErrorCode::io, "{}: cannot remove old arrays: {}", folder.string(),
                base::error_text(error.value()));
}

}  // namespace

}  // namespace credens::store

namespace credens {

void save_outputs(const OutputsFolder& folder, const std::filesystem::path& path) {
  using namespace store;
  const MemberOutputs& outputs = folder.outputs;
  std::string json;
  with_path(path, [&] {
    check(outputs);
    base::check_not_negative(folder.prior_precision, "lambda");
    json = json_text(folder);
  });
  base::make_folder(path);
  remove_old_files(path);
  write_members(path, "features", outputs.features);
  write_members(path, "mean", outputs.mean);
  write_members(path, "variance", equal_widths(outputs.variance, outputs.outputs()));
  if (!outputs.last_layer.empty()) write_members(path, "weights", outputs.last_layer);
  if (!outputs.targets.empty()) write_matrix(path / "targets.npy", outputs.targets);
  if (!outputs.row_weights.empty()) {
    data::write_npy(path / "row_weights.npy", {{outputs.row_weights.size()}, outputs.row_weights});
  }
  base::write_file(path / outputs_json_name, json);
}

}  // namespace credens
