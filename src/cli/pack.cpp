// SPDX-License-Identifier: Apache-2.0

#include "data/pack.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "data/kinds.hpp"

namespace credens::base {

template <>
struct EnumNames<data::PackedType> {
  static constexpr std::string_view what = "type";
  static constexpr std::pair<data::PackedType, std::string_view> entries[] = {{data::PackedType::float64, "float64"},
                                                                              {data::PackedType::float32, "float32"}};
};

}  // namespace credens::base

namespace credens::cli {

namespace {

struct PackArguments {
  std::string data;
  std::string output;
  data::PackOptions options;
  TableFormat format;
  ProgressKind progress = ProgressKind::automatic;
  bool json = false;
};

void declare(Arguments& arguments, PackArguments& pack) {
  arguments.file("DATA", pack.data, "Table of rows: text, also compressed, or .npy; - is standard input");
  arguments.option("-o,--output", "OUT.npy", pack.output, "Array of the rows, with names and words of the columns")
      .required = true;
  arguments.option("--dtype", "TYPE", pack.options.type,
                   "float64: full precision; float32: half the size, rounded to 7 digits", one_of<data::PackedType>());
  columns_option(arguments, "--ignore", pack.options.ignore, "Columns to leave out");
  columns_option(arguments, "--categories", pack.options.categories,
                 "Columns that hold words, whatever they look like");
  columns_option(arguments, "--numbers", pack.options.numbers, "Columns that hold numbers, whatever they look like");
  columns_option(arguments, "--dates", pack.options.dates, "Columns that hold dates, whatever they look like");
  format_options(arguments, pack.format);
  arguments.option("--threads", "T", pack.format.threads,
                   "Threads (0: all cores); the result is the same for any number", whole_number(0));
  arguments.option("--progress", "KIND", pack.progress,
                   "How progress is shown on standard error: " + one_of<ProgressKind>().text, one_of<ProgressKind>());
  arguments.toggle("--json", pack.json, "Print JSON");
}

void check(const PackArguments& arguments) {
  check_array("-o", arguments.output);
  base::require(
      !is_stream(arguments.output), ErrorCode::usage,
      "-o is {}, expected the name of a file: its header holds the number of rows, which is known only at the end",
      base::quoted(arguments.output));
  check_not_input(arguments.output, {arguments.data});
  check_table_kind(arguments.data, fmt::format("credens.fit(\"{}\", TARGET)", arguments.data));
}

/// Shows rows so far, ten times a second.
data::Packed packed_with_progress(const PackArguments& arguments) {
  constexpr double pause = 0.1;
  ProgressDisplay display(arguments.progress, 0, "rows");
  const auto start = std::chrono::steady_clock::now();
  double next = 0;
  data::PackOptions options = arguments.options;
  options.on_progress = [&](std::size_t rows, std::size_t guess) {
    const double elapsed = seconds_since(start);
    if (elapsed < next) return;
    next = elapsed + pause;
    if (guess == 0) {
      next = elapsed + std::max(pause, elapsed / 4);
      return display.say(fmt::format("{} rows", rows), elapsed);
    }
    const double fraction = std::min(1.0, static_cast<double>(rows) / static_cast<double>(guess));
    display.show({.members_done = rows,
                  .members = std::max(rows, guess),
                  .fraction = fraction,
                  .seconds_elapsed = elapsed,
                  .seconds_left = elapsed * (1 - fraction) / fraction});
  };
  return data::pack_file(arguments.data, arguments.format, arguments.output, options);
}

void run(const PackArguments& arguments) {
  check(arguments);
  const data::Packed packed = packed_with_progress(arguments);
  const std::string type(base::name_of(arguments.options.type));
  std::vector<std::string> kinds;
  for (const ColumnKind kind : packed.about.kinds) kinds.emplace_back(base::name_of(kind));
  if (arguments.json) {
    print_json({{"rows", packed.rows},
                {"columns", packed.columns},
                {"names", packed.about.names},
                {"kinds", kinds},
                {"dtype", type},
                {"bytes", packed.bytes}});
  } else {
    print_lines({{"rows", fmt::format("{}", packed.rows)},
                 {"columns", fmt::format("{}", packed.columns)},
                 {"written to", arguments.output}});
  }
}

}  // namespace

Verb pack_verb() {
  return make_verb<PackArguments>(
      "pack", "converts a table to an array, which is read faster and in windows",
      {"credens pack train.csv -o train.npy", "credens fit train.npy --target y --epochs 20 -o model.safetensors"},
      declare, run);
}

}  // namespace credens::cli
