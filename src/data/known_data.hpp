// SPDX-License-Identifier: Apache-2.0
//
// The public data sets of the paper: where they come from, how they are recognised, where they lie on this machine.

#pragma once

#include <credens/dataset.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace credens::data {

/// Rows that belong together: one file or, in the original, pieces of it.
struct KnownPart {
  std::string file;              ///< "blogData_test.csv"
  std::string piece_start = {};  ///< names of pieces begin so; they are joined in the order of their names
  std::string fingerprint = {};  ///< of the parsed values, see Dataset::fingerprint()
  std::size_t size = 0;          ///< without a fingerprint: bytes of the text
  std::string md5 = {};          ///< and their digest
};

struct KnownSet {
  std::string name;               ///< "blog": what the command line calls it
  std::string title;              ///< what its authors call it
  std::string folder;             ///< where its files lie in a folder of data
  std::string archive;            ///< the zip archive of the original, below `original_address`
  std::size_t largest = 0;        ///< bytes that the archive or one text may have
  std::string target;             ///< its column
  std::vector<KnownPart> parts;   ///< all rows, or the training rows and the test rows
  std::size_t training_rows = 0;  ///< where one file holds both: the first of them

  /// Whether its values were compared with a copy of the original; else size and digest rest on hearsay.
  bool is_confirmed() const { return parts.front().md5.empty(); }
};

/// Where the UCI Machine Learning Repository keeps its archives.
inline constexpr std::string_view original_address = "https://archive.ics.uci.edu/static/public";

/// Endings of compressed files that are read like the file itself, after "" for none.
inline constexpr std::string_view packed_endings[] = {"", ".xz", ".gz", ".zst"};

std::span<const KnownSet> known_sets();
const KnownSet& known_set(std::string_view name);  ///< throws usage, with the nearest name

/// The files of a part in `folder` or in the set's own folder there: one, possibly compressed, or its pieces. Empty
/// where it is absent.
std::vector<std::filesystem::path> find_part(const KnownSet& set, const KnownPart& part,
                                             const std::filesystem::path& folder);

/// Where data are looked for: `explicit_folder` unless empty, CREDENS_DATA where it is set, the cache folder
/// (credens/data in XDG_CACHE_HOME or ~/.cache).
std::vector<std::filesystem::path> data_folders(const std::filesystem::path& explicit_folder);

/// Where a set lies.
struct FoundData {
  std::filesystem::path folder;                           ///< one of data_folders()
  std::vector<std::vector<std::filesystem::path>> parts;  ///< the files of each part
};

/// The first of data_folders() that has all parts of the set.
std::optional<FoundData> find_data(const KnownSet& set, const std::filesystem::path& explicit_folder);

/// Whether a file of this name is a piece of the part.
bool is_piece(const std::string& name, const KnownPart& part);

/// Adds the next piece of a text, on a line of its own.
void append_piece(std::string& text, std::string piece);

/// What files hold, unpacked and joined; archives that hold more than `largest` bytes throw data.
std::string joined_text(std::span<const std::filesystem::path> files, std::size_t largest);

/// Throws data unless `text` is the part; `source` is what the sentence calls it.
void check_text(const KnownSet& set, const KnownPart& part, std::string_view text, const std::string& source);

struct LoadedData {
  Dataset train;
  Dataset test;  ///< no rows: the set has no official split
};

/// The rows, checked like text.
LoadedData load_data(const KnownSet& set, const FoundData& found);

}  // namespace credens::data
