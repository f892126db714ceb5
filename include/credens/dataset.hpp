// SPDX-License-Identifier: Apache-2.0
//
// A table with roles: which columns are inputs, targets, row weights, known noise, groups and times.

#pragma once

#include <credens/matrix.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace credens {

namespace data {
struct Schema;
}  // namespace data

/// The values that a column holds.
enum class ColumnKind {
  number,
  category,  ///< words
  date,      ///< days or times after ISO 8601, as seconds since 1970-01-01
};

/// The kind of prediction.
enum class Task {
  automatic,       ///< classification where the target holds words, else regression
  regression,      ///< numbers
  classification,  ///< one of several classes
};

/// How a text file is read. What is not given is recognised from the file.
struct TableFormat {
  std::optional<bool> header = {};        ///< whether the first line holds names
  std::optional<char> delimiter = {};     ///< ',' ';' '\t', or ' ' for runs of blanks
  std::optional<char> decimal = {};       ///< '.' or ',': the mark before the fraction of a number
  std::optional<bool> unit_line = {};     ///< whether the line below the names holds units
  std::vector<std::string> missing = {};  ///< cells that stand for a missing value, beside the usual ones
  int threads = 0;                        ///< that read; 0: all cores. What is read is the same for any number
};

/// Which columns play which part. A column is a name of the header or a 0-based index; negative counts from the end.
struct DatasetOptions {
  std::vector<std::string> targets = {};  ///< at least one, unless counts are given
  Task task = Task::automatic;
  std::vector<std::string> classes = {};    ///< of a classification, in this order; empty: those that rows have, sorted
  std::vector<std::string> counts = {};     ///< in place of targets: one column of counts per class
  std::vector<std::string> inputs = {};     ///< empty: all columns that no other field names
  std::vector<std::string> ignore = {};     ///< contradicts `inputs`
  std::string weight = {};                  ///< empty: every row counts once
  std::vector<std::string> noise_std = {};  ///< empty, one for all targets, or one per target
  std::vector<std::string> numbers = {};    ///< inputs that are numbers, whatever they look like
  std::vector<std::string> categories = {};
  std::vector<std::string> dates = {};
  bool strict = false;     ///< finite numbers only: words and missing cells are refused
  std::string group = {};  ///< rows with the same number or text here are held out together
  std::string time = {};   ///< numbers or dates: rows are held out in blocks of time
  TableFormat format = {};
};

/// The parts of a dataset that is made from arrays.
struct DatasetParts {
  Matrix inputs = {};  ///< [N x d]: NaN is missing, a word the index of its level
  /// [N x q]: a row with NaN is left out of training. Of a classification [N x 1], the index of a level or, without
  /// levels, any number that stands for a class; or [N x C] counts, one column per class.
  Matrix targets = {};
  std::vector<double> weights = {};            ///< empty or N values >= 0
  Matrix noise_std = {};                       ///< empty or [N x q], > 0
  std::vector<std::string> input_names = {};   ///< empty or d names
  std::vector<std::string> target_names = {};  ///< empty or q names
  std::string weight_name = {};                ///< name of the column that `weights` came from
  std::vector<std::string> noise_names = {};   ///< names of the columns that `noise_std` came from: none, one or q
  std::vector<ColumnKind> input_kinds = {};    ///< empty (all numbers) or d
  std::vector<std::vector<std::string>> input_levels = {};  ///< empty or d: the words of each category
  Task task = Task::automatic;                  ///< automatic: classification where there are levels of the target
  std::vector<std::string> target_levels = {};  ///< empty or the words that the codes in `targets` stand for
  std::vector<std::string> classes = {};        ///< as in DatasetOptions
  std::vector<double> groups = {};              ///< empty or N numbers: rows of one number are held out together
  std::vector<double> times = {};               ///< the same, of dates the seconds: rows are held out in blocks of time
  std::string group_name = {};                  ///< name of the column that `groups` came from
  std::string time_name = {};                   ///< name of the column that `times` came from
};

struct SplitOptions {
  double test_fraction = 0.1;  ///< in (0, 1)
  std::uint64_t seed = 0;
};

/// Immutable rows of inputs and targets, in double. No value is infinite; NaN is a missing one.
class Dataset {
 public:
  Dataset();
  explicit Dataset(DatasetParts parts);                     ///< checks shapes and values
  Dataset(DatasetParts parts, const data::Schema& schema);  ///< for files: names and positions are those of `schema`

  /// Reads delimited text (also .gz, .xz, .zst) or, by its extension, an .npy file with one row per line.
  static Dataset from_file(const std::filesystem::path& path, const DatasetOptions& options);
  static Dataset from_csv(const std::filesystem::path& path, const DatasetOptions& options);
  static Dataset from_npy(const std::filesystem::path& path, const DatasetOptions& options);

  std::size_t rows() const { return parts_.inputs.rows(); }
  MatrixView inputs() const { return parts_.inputs; }
  MatrixView targets() const { return parts_.targets; }
  std::span<const double> weights() const { return parts_.weights; }                  ///< empty: every row counts once
  MatrixView noise_std() const { return parts_.noise_std; }                           ///< empty: no known noise
  const std::vector<std::string>& input_names() const { return parts_.input_names; }  ///< empty: the table had no names
  const std::vector<std::string>& target_names() const {
    return parts_.target_names;
  }                                          ///< never empty: `y`, or `y0`, `y1`, ...
  Task task() const { return parts_.task; }  ///< regression or classification
  std::vector<std::string> classes() const;  ///< of a classification, in their order; none for a regression
  const std::string& weight_name() const { return parts_.weight_name; }
  const std::vector<std::string>& noise_names() const { return parts_.noise_names; }
  std::span<const double> groups() const { return parts_.groups; }  ///< empty: none are given
  std::span<const double> times() const { return parts_.times; }    ///< empty: none are given
  const std::string& group_name() const { return parts_.group_name; }
  const std::string& time_name() const { return parts_.time_name; }
  std::vector<std::size_t> input_columns() const;   ///< positions in the table; 0, ..., d - 1 for arrays
  std::vector<std::size_t> target_columns() const;  ///< positions in the table; empty: not known
  std::size_t table_columns() const;                ///< of that table; d for arrays
  const data::Schema& schema() const { return *schema_; }

  Dataset select(std::span<const std::size_t> rows) const;               ///< these rows, in this order
  Dataset with_targets() const;                                          ///< the rows that have all their targets
  std::pair<Dataset, Dataset> split(const SplitOptions& options) const;  ///< (rest, test), rows in their old order

  /// 32 hexadecimal digits over names and parsed values: equal for CSV, NPY, compressed files and arrays with equal
  /// content.
  std::string fingerprint() const;

 private:
  std::shared_ptr<const data::Schema> schema_;
  DatasetParts parts_;
};

}  // namespace credens
