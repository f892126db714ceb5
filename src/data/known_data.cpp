// SPDX-License-Identifier: Apache-2.0

#include "data/known_data.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/check.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "data/compression.hpp"
#include "data/make_dataset.hpp"
#include "data/md5.hpp"
#include "data/row_source.hpp"
#include "data/split.hpp"

namespace credens::data {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t megabyte = 1'000'000;

std::vector<KnownSet> make_sets() {
  return {
      {.name = "qsar",
       .title = "QSAR aquatic toxicity",
       .folder = "qsar-aquatic-toxicity",
       .archive = "505/qsar+aquatic+toxicity.zip",
       .largest = megabyte,
       .target = "8",
       .parts = {{.file = "qsar_aquatic_toxicity.csv", .fingerprint = "0a79ea437e71ec8479592dd6f0fc1f02"}}},
      {.name = "yacht",
       .title = "Yacht Hydrodynamics",
       .folder = "yacht",
       .archive = "243/yacht+hydrodynamics.zip",
       .largest = megabyte,
       .target = "6",
       .parts = {{.file = "yacht_hydrodynamics.data", .fingerprint = "963604d8c073911e1bb1a933179e8307"}}},
      {.name = "blog",
       .title = "BlogFeedback",
       .folder = "blog-feedback",
       .archive = "304/blogfeedback.zip",
       .largest = 100 * megabyte,
       .target = "280",
       .parts = {{.file = "blogData_train.csv", .fingerprint = "7717f3a3169c2692b5f6b5bced168d40"},
                 {.file = "blogData_test.csv",
                  .piece_start = "blogData_test-",
                  .fingerprint = "a4d3c80217c0c645ebeacb52a7913343"}}},
      {.name = "year",
       .title = "YearPredictionMSD",
       .folder = "year-prediction-msd",
       .archive = "203/yearpredictionmsd.zip",
       .largest = 500 * megabyte,
       .target = "0",
       .parts = {{.file = "YearPredictionMSD.txt", .size = 448'576'698, .md5 = "9b07d8011e0d8add1150dee90a38c548"}},
       .training_rows = 463'715},
  };
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes the environment
  return value ? value : "";
}

fs::path cache_folder() {
  const std::string cache = variable("XDG_CACHE_HOME");
  if (fs::path(cache).is_absolute()) return fs::path(cache) / "credens" / "data";
  const std::string home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".cache" / "credens" / "data";
}

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

std::vector<fs::path> find_pieces(const KnownPart& part, const fs::path& folder) {
  std::vector<fs::path> pieces;
  std::error_code none;
  if (part.piece_start.empty() || !fs::is_directory(folder, none)) return pieces;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (is_piece(entry.path().filename().string(), part)) pieces.push_back(entry.path());
  }
  std::ranges::sort(pieces);
  return pieces;
}

DatasetOptions options_of(const KnownSet& set) {
  return {.targets = {set.target}, .format = {.header = false}};
}

Dataset parse(const KnownSet& set, std::string_view text, const std::string& source) {
  const DatasetOptions options = options_of(set);
  return make_dataset(parse_csv(text, source, options.format), options);
}

void check_values(const KnownPart& part, const Dataset& rows, const std::string& source) {
  const std::string found = rows.fingerprint();
  base::require(found == part.fingerprint, ErrorCode::data,
                "{}: these are not the published values of {}: {} rows with fingerprint {}, expected {}", source,
                part.file, rows.rows(), found, part.fingerprint);
}

void check_digest(const KnownPart& part, std::string_view text, const std::string& source) {
  base::require(text.size() == part.size, ErrorCode::data, "{}: {} bytes of text, expected the {} of {}", source,
                text.size(), part.size, part.file);
  const std::string found = md5(text);
  base::require(found == part.md5, ErrorCode::data, "{}: this is not {}: its md5 is {}, expected {}", source, part.file,
                found, part.md5);
}

/// A file with a digest is read twice: rows that are read block by block while nothing else is held need half the
/// memory of a text that is parsed whole, and the second reading comes from the system's cache.
Dataset load_part(const KnownSet& set, const KnownPart& part, const std::vector<fs::path>& files) {
  const std::string source = files.front().string();
  if (!part.md5.empty()) check_digest(part, joined_text(files, set.largest), source);
  Dataset rows = files.size() == 1 ? read_dataset(*open_rows(files.front(), options_of(set), FileKind::text))
                                   : parse(set, joined_text(files, set.largest), source);
  if (part.md5.empty()) check_values(part, rows, source);
  return rows;
}

}  // namespace

std::span<const KnownSet> known_sets() {
  static const std::vector<KnownSet> sets = make_sets();
  return sets;
}

const KnownSet& known_set(std::string_view name) {
  std::vector<std::string> names;
  for (const KnownSet& set : known_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  base::fail(ErrorCode::usage, "there is no data set {}, expected one of {}{}", base::quoted(name),
             base::join(names, ", "), base::suggestion(name, names));
}

std::vector<fs::path> find_part(const KnownSet& set, const KnownPart& part, const fs::path& folder) {
  for (const fs::path& place : {folder / set.folder, folder}) {
    for (const std::string_view ending : packed_endings) {
      const fs::path file = place / (part.file + std::string(ending));
      if (is_there(file)) return {file};
    }
    if (std::vector<fs::path> pieces = find_pieces(part, place); !pieces.empty()) return pieces;
  }
  return {};
}

std::vector<fs::path> data_folders(const fs::path& explicit_folder) {
  std::vector<fs::path> folders;
  for (const fs::path& folder : {explicit_folder, fs::path(variable("CREDENS_DATA")), cache_folder()}) {
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

std::optional<FoundData> find_data(const KnownSet& set, const fs::path& explicit_folder) {
  for (const fs::path& folder : data_folders(explicit_folder)) {
    FoundData found{.folder = folder, .parts = {}};
    for (const KnownPart& part : set.parts) found.parts.push_back(find_part(set, part, folder));
    if (std::ranges::none_of(found.parts, &std::vector<fs::path>::empty)) return found;
  }
  return std::nullopt;
}

bool is_piece(const std::string& name, const KnownPart& part) {
  const std::string ending = fs::path(part.file).extension().string();
  return !part.piece_start.empty() && name.starts_with(part.piece_start) &&
         std::ranges::any_of(packed_endings,
                             [&](std::string_view packed) { return name.ends_with(ending + std::string(packed)); });
}

void append_piece(std::string& text, std::string piece) {
  if (text.empty()) {
    text = std::move(piece);
    return;
  }
  if (text.back() != '\n') text += '\n';
  text += piece;
}

std::string joined_text(std::span<const fs::path> files, std::size_t largest) {
  std::string text;
  for (const fs::path& file : files) {
    const std::size_t room = largest - std::min(largest, text.size());
    append_piece(text, decompress(base::read_file(file), file.string(), room));
  }
  return text;
}

void check_text(const KnownSet& set, const KnownPart& part, std::string_view text, const std::string& source) {
  if (part.md5.empty()) {
    check_values(part, parse(set, text, source), source);
  } else {
    check_digest(part, text, source);
  }
}

LoadedData load_data(const KnownSet& set, const FoundData& found) {
  Dataset first = load_part(set, set.parts.front(), found.parts.front());
  if (set.parts.size() > 1) return {.train = std::move(first), .test = load_part(set, set.parts[1], found.parts[1])};
  if (set.training_rows == 0) return {.train = std::move(first), .test = {}};
  base::require(set.training_rows < first.rows(), ErrorCode::data, "{}: {} rows, expected more than {}",
                found.parts.front().front().string(), first.rows(), set.training_rows);
  return {.train = rows_between(first, 0, set.training_rows),
          .test = rows_between(first, set.training_rows, first.rows())};
}

}  // namespace credens::data
