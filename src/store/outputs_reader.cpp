// SPDX-License-Identifier: Apache-2.0
//
// Letters: L members, N rows, p features, q outputs, C classes.

#include <credens/outputs_folder.hpp>
#include <credens/store.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/npy_reader.hpp"
#include "model/class_labels.hpp"
#include "model/weights.hpp"
#include "store/files.hpp"
#include "store/json.hpp"

namespace credens {

namespace {

namespace fs = std::filesystem;
using data::NpySlices;
using store::array_name;

const std::vector<std::string> json_keys = {"lambda",       "likelihood", "target_scale", "target_shift",
                                            "target_names", "classes",    "class_type",   "member_weights"};

/// Also a link that leads nowhere: who put it there meant a file.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// A size that is known, or a letter for one that is not.
struct Size {
  std::string letter;
  std::optional<std::size_t> value = {};

  std::string text() const { return value ? std::to_string(*value) : letter; }
};

constexpr std::size_t largest_json = std::size_t{64} << 20;  // names and numbers of members and outputs

/// A pipe would be waited for.
std::shared_ptr<NpySlices> open_slices(const fs::path& path) {
  base::check_regular(path);
  return std::make_shared<NpySlices>(path);
}

std::shared_ptr<NpySlices> open_array(const fs::path& path, const std::vector<Size>& expected) {
  auto array = open_slices(path);
  const std::vector<std::size_t>& shape = array->shape();
  bool fits = shape.size() == expected.size();
  for (std::size_t axis = 0; fits && axis < expected.size(); ++axis) {
    fits = shape[axis] == expected[axis].value.value_or(shape[axis]);
  }
  std::vector<std::string> sizes;
  for (const Size& size : expected) sizes.push_back(size.text());
  base::require(fits, ErrorCode::data, "{}: its shape is [{}], expected [{}]", path.string(), fmt::join(shape, ", "),
                base::join(sizes, ", "));
  return array;
}

/// The array of one member, in a file of its own or in that of all.
struct MemberArray {
  std::shared_ptr<NpySlices> file;
  std::size_t slab = 0;
  std::string name;  ///< for sentences

  std::size_t cols() const { return file->cols(); }

  Matrix read(std::size_t first, std::size_t count) const {
    Matrix rows;
    file->read(slab, first, count, rows);
    return rows;
  }

  Matrix read_finite(std::size_t first, std::size_t count) const {
    Matrix rows = read(first, count);
    base::check_finite(rows, name, first);
    return rows;
  }
};

std::vector<MemberArray> members_of(const std::shared_ptr<NpySlices>& all) {
  std::vector<MemberArray> members;
  for (std::size_t l = 0; l < all->shape().front(); ++l) {
    members.push_back({.file = all, .slab = l, .name = fmt::format("{}: member {}", all->name(), l)});
  }
  return members;
}

/// An array for all members, or one for each of them, not both.
std::vector<MemberArray> open_members(const fs::path& folder, std::string_view array, std::size_t count,
                                      const Size& rows, const Size& cols, std::string_view head) {
  const fs::path all = folder / array_name(array);
  const fs::path first = folder / array_name(array, 0);
  if (!is_there(first)) return members_of(open_array(all, {{"L", count}, rows, cols}));
  base::require(!is_there(all), ErrorCode::data, "{}: it stands beside {}, expected one of the two", all.string(),
                first.filename().string());
  std::vector<MemberArray> members;
  for (std::size_t l = 0; l < count; ++l) {
    auto file = open_array(folder / array_name(array, l), {rows, cols});
    members.push_back({.file = file, .name = file->name()});
  }
  const fs::path beyond = folder / array_name(array, count);
  base::require(!is_there(beyond), ErrorCode::data, "{}: {} has {} members only", beyond.string(), array_name(head),
                count);
  return members;
}

/// Keys that belong to the other likelihood are errors.
void read_classes(const store::JsonObject& object, bool has_classes, MemberOutputs& about) {
  for (const char* key : {"classes", "class_type"}) {
    base::require(has_classes || !object.has(key), ErrorCode::data, "{} is given, but likelihood is not softmax", key);
  }
  for (const char* key : {"target_scale", "target_shift"}) {
    base::require(!has_classes || !object.has(key), ErrorCode::data, "{} is given, but likelihood is softmax", key);
  }
  if (object.has("classes")) about.classes = object.texts("classes");
  if (!object.has("class_type")) return;
  const std::string type = object.text("class_type");
  base::require(type == "text" || type == "number", ErrorCode::data, "class_type is {}, expected text or number",
                base::quoted(type));
  about.has_number_classes = type == "number";
}

bool is_softmax(const store::JsonObject& object) {
  if (!object.has("likelihood")) return false;
  const std::string likelihood = object.text("likelihood");
  base::require(likelihood == "gaussian" || likelihood == "softmax", ErrorCode::data,
                "likelihood is {}, expected gaussian or softmax", base::quoted(likelihood));
  return likelihood == "softmax";
}

/// The numbers and words of outputs.json that are no lists.
struct Likelihood {
  double prior_precision = 0;
  bool has_classes = false;

  std::string_view head() const { return has_classes ? "logits" : "mean"; }
};

Likelihood read_json(const store::Json& json, MemberOutputs& about) {
  const store::JsonObject object(json, "", ErrorCode::data, json_keys);
  const bool has_classes = is_softmax(object);
  read_classes(object, has_classes, about);
  if (object.has("target_scale")) about.target_scale = object.numbers("target_scale");
  if (object.has("target_shift")) about.target_shift = object.numbers("target_shift");
  if (object.has("target_names")) about.target_names = object.texts("target_names");
  if (object.has("member_weights")) about.member_weights = object.numbers("member_weights");
  const double lambda = object.number("lambda");
  base::require(lambda >= 0, ErrorCode::data, "lambda is {}, expected a number that is not negative", lambda);
  return {.prior_precision = lambda, .has_classes = has_classes};
}

/// Arrays of the other likelihood are those of another ensemble, or outputs.json forgets to say what they are.
void check_arrays_of(const fs::path& folder, bool has_classes) {
  for (const char* array : {"mean", "variance", "logits"}) {
    const fs::path path = folder / array_name(array);
    const bool fits = (std::string_view(array) == "logits") == has_classes;
    base::require(fits || !is_there(path), ErrorCode::data, "{}: {}", path.string(),
                  has_classes ? "the likelihood in outputs.json is softmax, expected logits.npy alone"
                              : "the likelihood in outputs.json is not softmax, expected mean.npy and variance.npy");
  }
}

void check_row_weights(NpySlices& weights, std::size_t rows) {
  constexpr std::size_t at_once = 65536;
  model::RowWeights checked(weights.name());
  Matrix values;
  for (std::size_t first = 0; first < rows; first += at_once) {
    weights.read(0, first, std::min(at_once, rows - first), values);
    checked.add(values.values());
  }
  checked.check_sum();
}

}  // namespace

struct OutputsReader::Impl {
  explicit Impl(const fs::path& folder);

  void open_rows(const fs::path& folder);
  void open_variance(const fs::path& folder);
  void open_targets(const fs::path& path);
  void open_optional_rows(const fs::path& folder);
  void read_last_layers(const fs::path& folder);

  Likelihood likelihood;
  std::size_t rows = 0;
  MemberOutputs about;
  std::vector<MemberArray> features;
  std::vector<MemberArray> head;      ///< means or logits
  std::vector<MemberArray> variance;  ///< none of classes
  std::optional<MemberArray> targets;
  std::shared_ptr<NpySlices> row_weights;
};

OutputsReader::Impl::Impl(const fs::path& folder) {
  const fs::path json_path = folder / store::outputs_json_name;
  base::check_regular(json_path);
  const std::string text = base::read_file(json_path, largest_json);
  store::with_path(json_path, [&] {
    likelihood = read_json(store::parse_json<store::Json>(text, "its text", ErrorCode::data), about);
  });
  check_arrays_of(folder, likelihood.has_classes);
  open_rows(folder);
  if (!likelihood.has_classes) open_variance(folder);
  for (std::size_t l = 0; l < head.size(); ++l) {
    about.features.emplace_back(0, features[l].cols());
    (likelihood.has_classes ? about.logits : about.mean).emplace_back(0, head[l].cols());
  }
  for (const MemberArray& member : variance) about.variance.emplace_back(0, member.cols());
  read_last_layers(folder);
  open_optional_rows(folder);
  // The arrays were checked with their own names, so what remains concerns the lists of outputs.json.
  store::with_path(json_path, [&] { check(about); });
}

void OutputsReader::Impl::open_rows(const fs::path& folder) {
  const fs::path head_path = folder / array_name(likelihood.head());
  const auto heads = open_array(head_path, {{"L"}, {"N"}, {likelihood.has_classes ? "C" : "q"}});
  base::require(heads->shape()[0] > 0 && heads->shape()[2] > 0, ErrorCode::data, "{}: it has no members or no outputs",
                head_path.string());
  if (likelihood.has_classes) model::check_class_count(heads->shape()[2], head_path.string() + ": it");
  head = members_of(heads);
  rows = heads->shape()[1];

  features = open_members(folder, "features", head.size(), {"N", rows}, {"p"}, likelihood.head());
  for (std::size_t l = 0; l < features.size(); ++l) {
    base::require(features[l].cols() > 0, ErrorCode::data, "{}: member {} has no features, expected at least 1",
                  features[l].file->name(), l);
  }
}

void OutputsReader::Impl::open_variance(const fs::path& folder) {
  const std::size_t outputs = head.front().cols();
  const fs::path variance_path = folder / array_name("variance");
  variance = members_of(open_array(variance_path, {{"L", head.size()}, {"N", rows}, {"q or 1"}}));
  const std::size_t cols = variance.front().cols();
  base::require(cols == 1 || cols == outputs, ErrorCode::data, "{}: it has {} columns, expected {} or 1",
                variance_path.string(), cols, outputs);
}

/// Features and last layers agree in p.
void OutputsReader::Impl::read_last_layers(const fs::path& folder) {
  if (!is_there(folder / array_name("weights")) && !is_there(folder / array_name("weights", 0))) return;
  const auto weights = open_members(folder, "weights", head.size(), {"q", about.outputs()}, {"p"}, likelihood.head());
  for (std::size_t l = 0; l < weights.size(); ++l) {
    base::require(weights[l].cols() == features[l].cols(), ErrorCode::data,
                  "{}: the weights of member {} have {} columns, expected {} as in its features",
                  weights[l].file->name(), l, weights[l].cols(), features[l].cols());
    about.last_layer.push_back(weights[l].read_finite(0, about.outputs()));
  }
}

/// Labels of classes are a number for each row, or a column for each class.
void OutputsReader::Impl::open_targets(const fs::path& path) {
  auto file = open_slices(path);
  const bool has_numbers = file->shape().size() == 1 || (file->shape().size() == 2 && file->cols() == 1);
  if (!likelihood.has_classes || !has_numbers) {
    file = open_array(path, {{"N", rows}, {likelihood.has_classes ? "C" : "q", about.outputs()}});
  }
  base::require(file->rows() == rows, ErrorCode::data, "{}: it has {} rows, expected {}", path.string(), file->rows(),
                rows);
  targets = MemberArray{.file = file, .name = file->name()};
}

void OutputsReader::Impl::open_optional_rows(const fs::path& folder) {
  const fs::path targets_path = folder / array_name("targets");
  if (is_there(targets_path)) open_targets(targets_path);
  const fs::path weights_path = folder / array_name("row_weights");
  if (!is_there(weights_path)) return;
  row_weights = open_array(weights_path, {{"N", rows}});
  check_row_weights(*row_weights, rows);
}

OutputsReader::OutputsReader(const fs::path& folder) : impl_(std::make_unique<Impl>(folder)) {}
OutputsReader::~OutputsReader() = default;
OutputsReader::OutputsReader(OutputsReader&&) noexcept = default;
OutputsReader& OutputsReader::operator=(OutputsReader&&) noexcept = default;

double OutputsReader::prior_precision() const {
  return impl_->likelihood.prior_precision;
}

std::size_t OutputsReader::rows() const {
  return impl_->rows;
}

bool OutputsReader::has_targets() const {
  return impl_->targets.has_value();
}

const MemberOutputs& OutputsReader::about() const {
  return impl_->about;
}

std::size_t OutputsReader::block_rows() const {
  constexpr std::size_t most_rows = 4096;
  constexpr std::size_t values = std::size_t{1} << 20;
  std::size_t cols = 0;
  for (const MemberArray& member : impl_->features) cols += member.cols() + 2 * impl_->about.outputs();
  return std::clamp<std::size_t>(values / cols, 1, most_rows);
}

MemberOutputs OutputsReader::read(std::size_t first, std::size_t count) {
  first = std::min(first, impl_->rows);
  count = std::min(count, impl_->rows - first);
  MemberOutputs block{.member_weights = impl_->about.member_weights,
                      .target_scale = impl_->about.target_scale,
                      .target_shift = impl_->about.target_shift,
                      .target_names = impl_->about.target_names,
                      .classes = impl_->about.classes,
                      .has_number_classes = impl_->about.has_number_classes};
  const bool has_classes = impl_->likelihood.has_classes;
  for (std::size_t l = 0; l < impl_->head.size(); ++l) {
    (has_classes ? block.logits : block.mean).push_back(impl_->head[l].read_finite(first, count));
    block.features.push_back(impl_->features[l].read_finite(first, count));
  }
  for (const MemberArray& member : impl_->variance) {
    block.variance.push_back(member.read(first, count));
    base::check_positive(block.variance.back(), member.name, first);
  }
  if (impl_->targets) {
    block.targets = impl_->targets->read_finite(first, count);
    if (has_classes) model::check_labels(block.targets, block.outputs(), impl_->targets->name, first);
  }
  if (impl_->row_weights) {
    Matrix weights;
    impl_->row_weights->read(0, first, count, weights);
    block.row_weights.assign(weights.values().begin(), weights.values().end());
  }
  return block;
}

OutputsFolder load_outputs(const fs::path& path) {
  OutputsReader reader(path);
  OutputsFolder folder{.outputs = reader.read(0, reader.rows()), .prior_precision = reader.prior_precision()};
  folder.outputs.last_layer = reader.about().last_layer;
  return folder;
}

}  // namespace credens
