// SPDX-License-Identifier: Apache-2.0
//
// Outputs folders: arrays of an ensemble at some rows, exchanged with other frameworks. docs/model-format.md describes
// the files.
//
// Letters: L members, N rows, p features, q outputs.

#include <credens/store.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/npy.hpp"
#include "model/weights.hpp"
#include "store/json.hpp"
#include "store/with_path.hpp"

namespace credens::store {

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> json_keys = {"lambda", "target_scale", "target_shift", "target_names", "member_weights"};

constexpr std::string_view json_name = "outputs.json";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// "features.npy" for all members, "features.3.npy" for one.
std::string array_name(std::string_view array) {
  return fmt::format("{}.npy", array);
}
std::string array_name(std::string_view array, std::size_t member) {
  return fmt::format("{}.{}.npy", array, member);
}

// ---- writing ----

bool same_shape(const std::vector<Matrix>& matrices) {
  return std::all_of(matrices.begin(), matrices.end(), [&](const Matrix& matrix) {
    return matrix.rows() == matrices.front().rows() && matrix.cols() == matrices.front().cols();
  });
}

void write_matrix(const fs::path& path, const Matrix& matrix) {
  data::write_npy(path, {{matrix.rows(), matrix.cols()}, {matrix.values().begin(), matrix.values().end()}});
}

/// One array for all members where their shapes agree, else one for each.
void write_members(const fs::path& folder, std::string_view array, const std::vector<Matrix>& members) {
  if (!same_shape(members)) {
    for (std::size_t l = 0; l < members.size(); ++l) write_matrix(folder / array_name(array, l), members[l]);
    return;
  }
  data::NpyArray all{{members.size(), members.front().rows(), members.front().cols()}, {}};
  for (const Matrix& member : members)
    all.values.insert(all.values.end(), member.values().begin(), member.values().end());
  data::write_npy(folder / array_name(array), all);
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
  fs::remove(folder / json_name, error);
  base::require(!error, ErrorCode::io, "{}: cannot remove: {}", (folder / json_name).string(),
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

// ---- reading ----

/// A size that is known, or a letter for one that is not.
struct Size {
  std::string letter;
  std::optional<std::size_t> value = {};

  std::string text() const { return value ? std::to_string(*value) : letter; }
};

data::NpyArray read_array(const fs::path& path, const std::vector<Size>& expected) {
  data::NpyArray array = data::read_npy(path);
  bool fits = array.shape.size() == expected.size();
  for (std::size_t axis = 0; fits && axis < expected.size(); ++axis) {
    fits = array.shape[axis] == expected[axis].value.value_or(array.shape[axis]);
  }
  std::vector<std::string> sizes;
  for (const Size& size : expected) sizes.push_back(size.text());
  base::require(fits, ErrorCode::data, "{}: its shape is [{}], expected [{}]", path.string(),
                fmt::join(array.shape, ", "), base::join(sizes, ", "));
  return array;
}

using CheckValues = void (*)(MatrixView values, std::string_view name);

void check_finite(MatrixView values, std::string_view name) {
  base::check_finite(values, name);
}
void check_positive(MatrixView values, std::string_view name) {
  base::check_positive(values, name);
}

Matrix read_matrix(const fs::path& path, Size rows, Size cols) {
  data::NpyArray array = read_array(path, {std::move(rows), std::move(cols)});
  Matrix matrix(array.shape[0], array.shape[1], std::move(array.values));
  check_finite(matrix, path.string());
  return matrix;
}

/// The members of an array [L, rows, cols].
std::vector<Matrix> read_stack(const fs::path& path, const std::vector<Size>& expected, CheckValues check_values) {
  const data::NpyArray array = read_array(path, expected);
  const std::size_t rows = array.shape[1];
  const std::size_t cols = array.shape[2];
  std::vector<Matrix> members;
  for (std::size_t l = 0; l < array.shape[0]; ++l) {
    const auto first = array.values.begin() + static_cast<std::ptrdiff_t>(l * rows * cols);
    members.emplace_back(rows, cols, std::vector<double>(first, first + static_cast<std::ptrdiff_t>(rows * cols)));
    check_values(members.back(), fmt::format("{}: member {}", path.string(), l));
  }
  return members;
}

/// The file that holds an array of this member.
fs::path file_of_member(const fs::path& folder, std::string_view array, std::size_t member) {
  return folder / (is_there(folder / array_name(array, 0)) ? array_name(array, member) : array_name(array));
}

/// An array for all members, or one for each of them, not both.
std::vector<Matrix> read_members(const fs::path& folder, std::string_view array, std::size_t count, const Size& rows,
                                 const Size& cols) {
  const fs::path all = folder / array_name(array);
  const fs::path first = folder / array_name(array, 0);
  if (!is_there(first)) return read_stack(all, {{"L", count}, rows, cols}, check_finite);
  base::require(!is_there(all), ErrorCode::data, "{}: it stands beside {}, expected one of the two", all.string(),
                first.filename().string());
  std::vector<Matrix> members;
  for (std::size_t l = 0; l < count; ++l) members.push_back(read_matrix(folder / array_name(array, l), rows, cols));
  const fs::path beyond = folder / array_name(array, count);
  base::require(!is_there(beyond), ErrorCode::data, "{}: mean.npy has {} members only", beyond.string(), count);
  return members;
}

std::vector<Matrix> read_features(const fs::path& folder, const MemberOutputs& outputs) {
  std::vector<Matrix> features = read_members(folder, "features", outputs.members(), {"N", outputs.rows()}, {"p"});
  for (std::size_t l = 0; l < features.size(); ++l) {
    base::require(features[l].cols() > 0, ErrorCode::data, "{}: member {} has no features, expected at least 1",
                  file_of_member(folder, "features", l).string(), l);
  }
  return features;
}

std::vector<Matrix> read_mean(const fs::path& folder) {
  const fs::path path = folder / "mean.npy";
  std::vector<Matrix> mean = read_stack(path, {{"L"}, {"N"}, {"q"}}, check_finite);
  base::require(!mean.empty() && mean.front().cols() > 0, ErrorCode::data, "{}: it has no members or no outputs",
                path.string());
  return mean;
}

std::vector<Matrix> read_variance(const fs::path& folder, const MemberOutputs& outputs) {
  const fs::path path = folder / "variance.npy";
  std::vector<Matrix> variance =
      read_stack(path, {{"L", outputs.members()}, {"N", outputs.rows()}, {"q or 1"}}, check_positive);
  const std::size_t cols = variance.front().cols();
  base::require(cols == 1 || cols == outputs.outputs(), ErrorCode::data, "{}: it has {} columns, expected {} or 1",
                path.string(), cols, outputs.outputs());
  return variance;
}

/// Features and last layers agree in p.
void read_last_layers(const fs::path& folder, MemberOutputs& outputs) {
  if (!is_there(folder / array_name("weights")) && !is_there(folder / array_name("weights", 0))) return;
  outputs.last_layer = read_members(folder, "weights", outputs.members(), {"q", outputs.outputs()}, {"p"});
  for (std::size_t l = 0; l < outputs.members(); ++l) {
    base::require(outputs.last_layer[l].cols() == outputs.features[l].cols(), ErrorCode::data,
                  "{}: the weights of member {} have {} columns, expected {} as in its features",
                  file_of_member(folder, "weights", l).string(), l, outputs.last_layer[l].cols(),
                  outputs.features[l].cols());
  }
}

void read_optional_rows(const fs::path& folder, MemberOutputs& outputs) {
  const fs::path targets = folder / "targets.npy";
  if (is_there(targets)) outputs.targets = read_matrix(targets, {"N", outputs.rows()}, {"q", outputs.outputs()});
  const fs::path weights = folder / "row_weights.npy";
  if (!is_there(weights)) return;
  outputs.row_weights = read_array(weights, {{"N", outputs.rows()}}).values;
  model::check_weights(outputs.row_weights, outputs.rows(), weights.string());
}

double read_json(const Json& json, MemberOutputs& outputs) {
  const JsonObject object(json, "", ErrorCode::data, json_keys);
  if (object.has("target_scale")) outputs.target_scale = object.numbers("target_scale");
  if (object.has("target_shift")) outputs.target_shift = object.numbers("target_shift");
  if (object.has("target_names")) outputs.target_names = object.texts("target_names");
  if (object.has("member_weights")) outputs.member_weights = object.numbers("member_weights");
  const double lambda = object.number("lambda");
  base::require(lambda >= 0, ErrorCode::data, "lambda is {}, expected a number that is not negative", lambda);
  return lambda;
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
  base::write_file(path / json_name, json);
}

OutputsFolder load_outputs(const std::filesystem::path& path) {
  using namespace store;
  OutputsFolder folder;
  MemberOutputs& outputs = folder.outputs;
  const std::filesystem::path json_path = path / json_name;
  const std::string text = base::read_file(json_path);
  with_path(json_path,
            [&] { folder.prior_precision = read_json(parse_json<Json>(text, "its text", ErrorCode::data), outputs); });
  outputs.mean = read_mean(path);
  outputs.features = read_features(path, outputs);
  outputs.variance = read_variance(path, outputs);
  read_last_layers(path, outputs);
  read_optional_rows(path, outputs);
  // The arrays were checked with their own names, so what remains concerns the lists of outputs.json.
  with_path(json_path, [&] { check(outputs); });
  return folder;
}

}  // namespace credens
