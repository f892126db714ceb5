// SPDX-License-Identifier: Apache-2.0

#include "cli/fetch_set.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/download.hpp"
#include "cli/files.hpp"
#include "data/compression.hpp"
#include "data/zip.hpp"

namespace credens::cli {

namespace {

namespace fs = std::filesystem;
using data::KnownPart;
using data::KnownSet;

/// The text of a part and what sentences call the place it came from.
struct PartText {
  std::string text;
  std::string source;
};

bool is_address(const std::string& from) {
  return from.starts_with("https://") || from.starts_with("http://");
}

// ---- what an archive holds ----

/// Names in the archive, without folders, of what the part is made of; in the order in which it is joined.
std::map<std::string, data::ZipEntry> entries_of(const std::vector<data::ZipEntry>& entries, const KnownPart& part) {
  std::map<std::string, data::ZipEntry> pieces;
  for (const data::ZipEntry& entry : entries) {
    const std::string name = entry.name.substr(entry.name.rfind('/') + 1);
    if (name == part.file) return {{name, entry}};
    if (data::is_piece(name, part)) pieces.emplace(name, entry);
  }
  return pieces;
}

PartText from_archive(const KnownSet& set, const KnownPart& part, const PartText& archive) {
  const auto entries = entries_of(data::zip_entries(archive.text, archive.source), part);
  base::require(!entries.empty(), ErrorCode::data, "{}: the archive holds no {}", archive.source, part.file);
  PartText result{.text = {}, .source = archive.source};
  for (const auto& [name, entry] : entries) {
    const std::size_t room = set.largest - std::min(set.largest, result.text.size());
    data::append_piece(result.text, data::unzip(archive.text, entry, room, archive.source));
  }
  return result;
}

// ---- where parts come from ----

/// Finds parts below a folder or an address; keeps the archive for the next part.
class Source {
 public:
  Source(const KnownSet& set, const FetchOptions& options) : set_(set), options_(options) {
    is_original_ = options.from.empty();
    base_ = is_original_ ? std::string(data::original_address) : options.from;
    while (base_.size() > 1 && base_.ends_with('/')) base_.pop_back();
    base::require(is_address(base_) || base_.find("://") == std::string::npos, ErrorCode::usage,
                  "--from is {}, expected a folder or an address that begins with https:// or http://",
                  base::quoted(base_));
    std::error_code none;
    base::require(is_address(base_) || fs::is_directory(base_, none), ErrorCode::io,
                  "{}: not a folder, expected one with the files of {} or an address", base_, set.name);
  }

  PartText find(const KnownPart& part) {
    if (!archive_) archive_ = find_archive();
    if (archive_) return from_archive(set_, part, *archive_);
    if (std::optional<PartText> found = is_address(base_) ? find_at_address(part) : find_in_folder(part)) {
      return *std::move(found);
    }
    base::fail(ErrorCode::io, "{}: neither {} nor {} is there", base_, set_.archive, part.file);
  }

 private:
  std::vector<std::string> archive_names() const {
    if (is_original_) return {set_.archive};
    const std::string name = fs::path(set_.archive).filename().string();
    return {set_.archive, set_.folder + "/" + name, name};
  }

  std::optional<PartText> find_archive() const {
    for (const std::string& name : archive_names()) {
      if (std::optional<PartText> found = read(name)) return found;
    }
    return std::nullopt;
  }

  std::optional<PartText> find_in_folder(const KnownPart& part) const {
    const std::vector<fs::path> files = data::find_part(set_, part, base_);
    if (files.empty()) return std::nullopt;
    return PartText{.text = data::joined_text(files, set_.largest), .source = files.front().string()};
  }

  std::optional<PartText> find_at_address(const KnownPart& part) const {
    if (is_original_) return std::nullopt;
    for (const std::string& place : {set_.folder + "/", std::string()}) {
      for (const std::string_view ending : data::packed_endings) {
        std::optional<PartText> found = read(place + part.file + std::string(ending));
        if (!found) continue;
        found->text = data::decompress(std::move(found->text), found->source, set_.largest);
        return found;
      }
    }
    return std::nullopt;
  }

  /// A file below the base; nothing where there is none.
  std::optional<PartText> read(const std::string& name) const {
    const std::string path = base_ + "/" + name;
    if (!is_address(base_)) {
      std::error_code none;
      if (!fs::exists(path, none)) return std::nullopt;
      return PartText{.text = base::read_file(path), .source = path};
    }
    std::optional<std::string> bytes =
        download(path, {.largest = set_.largest, .on_progress = options_.on_progress, .stop = options_.stop});
    if (!bytes) return std::nullopt;
    return PartText{.text = *std::move(bytes), .source = path};
  }

  const KnownSet& set_;
  const FetchOptions& options_;
  std::string base_;
  bool is_original_ = false;
  std::optional<PartText> archive_;
};

// ---- where parts go ----

/// Makes a folder and, unless keep() is called, takes away what it made of it.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& path) {
    std::error_code none;
    for (fs::path place = path; !place.empty() && !fs::exists(place, none); place = place.parent_path()) {
      made_.push_back(place);
    }
    base::make_folder(path);
  }
  ~NewFolder() {
    std::error_code none;
    for (const fs::path& place : made_) fs::remove(place, none);  // removes empty folders only
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;  ///< innermost first
};

void check_present(const KnownSet& set, const KnownPart& part, const std::vector<fs::path>& files,
                   const FetchOptions& options) {
  try {
    const std::string text = data::joined_text(files, set.largest);
    if (options.on_verify) options.on_verify(part, text.size());
    data::check_text(set, part, text, files.front().string());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::data) throw;
    base::fail(ErrorCode::data, "{}; it is left as it is: move it away to fetch {} again", error.what(), set.name);
  }
}

void bring(const KnownSet& set, const FetchOptions& options, std::vector<FetchedPart>& parts) {
  Source source(set, options);
  NewFolder folder(options.folder / set.folder);
  std::vector<PartText> texts(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_new) check_writable(parts[i].file);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].is_new) continue;
    texts[i] = source.find(set.parts[i]);
    if (options.on_verify) options.on_verify(set.parts[i], texts[i].text.size());
    data::check_text(set, set.parts[i], texts[i].text, texts[i].source);
  }
  base::require(!options.stop.stop_requested(), ErrorCode::interrupted, "interrupted before {} was written", set.name);
  folder.keep();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_new) base::write_file(parts[i].file, texts[i].text);
  }
}

}  // namespace

std::vector<FetchedPart> fetch_set(const KnownSet& set, const FetchOptions& options) {
  std::vector<FetchedPart> parts;
  for (const KnownPart& part : set.parts) {
    const std::vector<fs::path> files = data::find_part(set, part, options.folder);
    if (!files.empty()) check_present(set, part, files, options);
    parts.push_back(
        {.file = files.empty() ? options.folder / set.folder / part.file : files.front(), .is_new = files.empty()});
  }
  if (std::ranges::any_of(parts, &FetchedPart::is_new)) bring(set, options, parts);
  return parts;
}

}  // namespace credens::cli
