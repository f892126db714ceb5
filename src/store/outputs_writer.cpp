// SPDX-License-Identifier: Apache-2.0
//
// Letters: L members, N rows, p features, q outputs; of classes their logits are the outputs.

#include "store/outputs_writer.hpp"

#include <credens/store.hpp>

#include <sys/resource.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/npy.hpp"
#include "model/member_source.hpp"
#include "model/weights.hpp"
#include "store/files.hpp"
#include "store/json.hpp"

namespace credens::store {

namespace {

namespace fs = std::filesystem;

bool same_width(const std::vector<Matrix>& matrices) {
  return std::all_of(matrices.begin(), matrices.end(),
                     [&](const Matrix& matrix) { return matrix.cols() == matrices.front().cols(); });
}

/// An array [N x cols] or, of several members, [L x N x cols]: some rows of a member at a time.
class ArrayFile {
 public:
  ArrayFile(const fs::path& path, const std::vector<std::size_t>& shape)
      : file_(path), header_(data::npy_header(shape)), rows_(shape[shape.size() == 3 ? 1 : 0]) {
    file_.write_at(0, header_);
  }

  void write(std::size_t member, std::size_t first_row, std::size_t cols, std::span<const double> values) {
    file_.write_at(header_.size() + (member * rows_ + first_row) * cols * sizeof(double), base::bytes_of(values));
  }

  void commit() { file_.commit(); }

 private:
  base::AtomicFile file_;
  std::string header_;
  std::size_t rows_;
};

/// The arrays of all members: in one file where they have the same width, else in one for each.
class MemberArrays {
 public:
  MemberArrays(const fs::path& folder, std::string_view array, const std::vector<Matrix>& members, std::size_t rows) {
    if (same_width(members)) {
      add(folder / array_name(array), {members.size(), rows, members.front().cols()});
    } else {
      for (std::size_t l = 0; l < members.size(); ++l) add(folder / array_name(array, l), {rows, members[l].cols()});
    }
  }

  void write(std::size_t member, std::size_t first_row, const Matrix& rows) {
    const bool is_alone = files_.size() > 1;
    files_[is_alone ? member : 0]->write(is_alone ? 0 : member, first_row, rows.cols(), rows.values());
  }

  void commit() {
    for (const auto& file : files_) file->commit();
  }

 private:
  void add(const fs::path& path, const std::vector<std::size_t>& shape) {
    files_.push_back(std::make_unique<ArrayFile>(path, shape));
  }

  std::vector<std::unique_ptr<ArrayFile>> files_;
};

std::string json_text(const MemberOutputs& outputs, double prior_precision) {
  Json json = {{"lambda", prior_precision}};
  if (outputs.has_classes()) json["likelihood"] = "softmax";
  if (!outputs.target_scale.empty()) json["target_scale"] = outputs.target_scale;
  if (!outputs.target_shift.empty()) json["target_shift"] = outputs.target_shift;
  if (!outputs.target_names.empty()) json["target_names"] = outputs.target_names;
  if (!outputs.classes.empty()) {
    json["classes"] = outputs.classes;
    json["class_type"] = outputs.has_number_classes ? "number" : "text";
  }
  if (!outputs.member_weights.empty()) json["member_weights"] = outputs.member_weights;
  try {
    return json.dump(2) + "\n";
  } catch (const Json::exception&) {
    base::fail(ErrorCode::data, "a name of a target or class is not UTF-8 text");
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
  constexpr std::string_view others[] = {"mean", "variance", "logits", "targets", "row_weights"};
  return parts.size() == 2 && (for_one_member || std::ranges::find(others, array) != std::end(others));
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

/// Members may have a file each, and the usual limit is 1024 of them.
void allow_open_files(std::size_t count) {
  constexpr std::size_t others = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || count + others <= limit.rlim_cur) return;
  limit.rlim_cur = std::min<rlim_t>(count + others, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

struct OutputsWriter::Impl {
  Impl(const fs::path& path, const MemberOutputs& about, std::size_t row_count)
      : folder(path),
        rows(row_count),
        last_layer(about.last_layer),
        target_cols(about.targets.cols()),
        features(path, "features", about.features, rows),
        head(path, about.has_classes() ? "logits" : "mean", about.head(), rows) {
    if (!about.has_classes()) {
      variance_cols = same_width(about.variance) ? about.variance.front().cols() : about.outputs();
      variance.emplace(path, "variance", std::vector<Matrix>(about.members(), Matrix(0, variance_cols)), rows);
    }
    if (!about.targets.empty()) {
      std::vector<std::size_t> shape = {rows, target_cols};
      if (about.has_classes() && target_cols == 1) shape.pop_back();
      targets = std::make_unique<ArrayFile>(path / "targets.npy", shape);
    }
    if (!about.row_weights.empty()) {
      row_weights = std::make_unique<ArrayFile>(path / "row_weights.npy", std::vector{rows});
    }
  }

  /// More rows would stand in the next member's place, fewer would leave zeros.
  static void check_count(bool is_as_announced) {
    base::require(is_as_announced, ErrorCode::data, "the number of rows changed while they were read");
  }

  fs::path folder;
  std::size_t rows;
  std::string json;
  std::vector<Matrix> last_layer;
  std::size_t target_cols;
  std::size_t variance_cols = 0;
  MemberArrays features;
  MemberArrays head;                     ///< means or logits
  std::optional<MemberArrays> variance;  ///< none of classes
  std::unique_ptr<ArrayFile> targets;
  std::unique_ptr<ArrayFile> row_weights;
  std::size_t next_row = 0;
  model::RowWeights checked_weights{"row_weights"};
};

OutputsWriter::OutputsWriter(const fs::path& folder, const MemberOutputs& about, double prior_precision,
                             std::size_t rows) {
  std::string json = with_path(folder, [&] {
    MemberOutputs checked = about;
    checked.row_weights.clear();  // a block may have weight 0, all rows together may not
    check(checked);
    base::check_not_negative(prior_precision, "lambda");
    return json_text(about, prior_precision);
  });
  base::make_folder(folder);
  allow_open_files(about.members());
  impl_ = std::make_unique<Impl>(folder, about, rows);
  impl_->json = std::move(json);
}

OutputsWriter::~OutputsWriter() = default;

void OutputsWriter::add(const MemberOutputs& block) {
  const std::size_t first = impl_->next_row;
  with_path(impl_->folder, [&] {
    impl_->check_count(first + block.rows() <= impl_->rows);
    check(OutputRows(block));
    base::require(block.targets.cols() == impl_->target_cols, ErrorCode::data,
                  "targets has {} columns, before it had {}", block.targets.cols(), impl_->target_cols);
    impl_->checked_weights.add(block.row_weights);
  });
  for (std::size_t l = 0; l < block.members(); ++l) {
    impl_->features.write(l, first, block.features[l]);
    impl_->head.write(l, first, block.head()[l]);
    if (!impl_->variance) continue;
    // One column for each output where some member has that and others share one: the file has one width for all.
    impl_->variance->write(l, first, model::variance_block(block.variance[l], 0, block.rows(), impl_->variance_cols));
  }
  if (impl_->targets) impl_->targets->write(0, first, impl_->target_cols, block.targets.values());
  if (impl_->row_weights) impl_->row_weights->write(0, first, 1, block.row_weights);
  impl_->next_row += block.rows();
}

void OutputsWriter::commit() {
  with_path(impl_->folder, [&] {
    impl_->check_count(impl_->next_row == impl_->rows);
    if (impl_->row_weights) impl_->checked_weights.check_sum();
  });
  remove_old_files(impl_->folder);
  impl_->features.commit();
  impl_->head.commit();
  if (impl_->variance) impl_->variance->commit();
  if (!impl_->last_layer.empty()) {
    MemberArrays weights(impl_->folder, "weights", impl_->last_layer, impl_->last_layer.front().rows());
    for (std::size_t l = 0; l < impl_->last_layer.size(); ++l) weights.write(l, 0, impl_->last_layer[l]);
    weights.commit();
  }
  if (impl_->targets) impl_->targets->commit();
  if (impl_->row_weights) impl_->row_weights->commit();
  base::write_file(impl_->folder / outputs_json_name, impl_->json);
}

}  // namespace credens::store

namespace credens {

void save_outputs(const OutputsFolder& folder, const std::filesystem::path& path) {
  store::OutputsWriter writer(path, folder.outputs, folder.prior_precision, folder.outputs.rows());
  writer.add(folder.outputs);
  writer.commit();
}

}  // namespace credens
