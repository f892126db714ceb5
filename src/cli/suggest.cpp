// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>
#include <credens/suggest.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/file.hpp"
#include "cli/candidates.hpp"
#include "cli/files.hpp"
#include "cli/prediction_table.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "decide/names.hpp"
#include "model/ensemble_state.hpp"
#include "report/suggestion.hpp"

namespace credens::cli {

namespace {

/// Rows that fill the box of --bounds.
constexpr std::size_t rows_in_box = 10000;

struct SuggestArguments : RowArguments {  // DATA is the pool
  std::size_t count = 1;
  std::string bounds;
  std::string at;
  std::string pending;
  std::string cost;
  std::string goal = "learn";
  std::uint64_t seed = 0;
  std::string output;
  bool json = false;
};

void declare(Arguments& arguments, SuggestArguments& suggest) {
  arguments.file("MODEL", suggest.model, "A model written by `credens fit` or `credens widen`");
  arguments
      .file("POOL", suggest.data,
            "Table of rows that could be measured: text, also compressed, or .npy; - is standard input")
      .required = false;
  arguments.group("Measurements");
  arguments.option("-n,--count", "K", suggest.count, "Number of rows to suggest", whole_number<std::size_t>(1))
      .required = true;
  arguments.option("-o,--output", "OUT", suggest.output,
                   "CSV file of the suggested rows with all their columns, the first one first; - is standard output");
  arguments.option("--goal", "GOAL", suggest.goal,
                   "learn: the least ignorance; maximise, minimise: the largest or smallest value of the regression "
                   "function; TARGET=VALUE: a row where it has this value");
  arguments.option("--for", "ROWS", suggest.at,
                   "Table of the rows whose ignorance is to fall; those of the pool if not given");
  arguments.option("--pending", "ROWS", suggest.pending, "Table of rows that are being measured already");
  column_option(arguments, "--cost", suggest.cost, "Column of POOL with the cost of each row; gain by cost decides");
  arguments.option("--bounds", "FILE", suggest.bounds,
                   "Table with columns input, lower, upper, in place of POOL: any row within them can be measured");
  arguments.toggle("--json", suggest.json, "Print JSON");
  arguments.group("Rows");
  columns_option(arguments, "--noise-std", suggest.columns.noise_std,
                 "Columns with the known standard deviation of each row's noise, if named differently than in "
                 "training");
  format_options(arguments, suggest.format);
  arguments.option("--seed", "NUMBER", suggest.seed, "Seed of samples of many rows, and of the rows within --bounds",
                   whole_number<std::uint64_t>(0));
}

void check(const SuggestArguments& arguments) {
  base::require(arguments.data.empty() != arguments.bounds.empty(), ErrorCode::usage, "{}",
                arguments.data.empty() ? "POOL is missing: give a table of rows, or --bounds"
                                       : "both POOL and --bounds are given, expected one of them");
  base::require(arguments.bounds.empty() || arguments.cost.empty(), ErrorCode::usage,
                "--cost names a column of POOL, but --bounds is given");
  check_standard_input({{"MODEL", arguments.model},
                        {"POOL", arguments.data},
                        {"--for", arguments.at},
                        {"--pending", arguments.pending},
                        {"--bounds", arguments.bounds}});
  check_not_archive("-o", arguments.output);
  check_not_foreign("-o", arguments.output);
  check_not_input(arguments.output,
                  {arguments.model, arguments.data, arguments.at, arguments.pending, arguments.bounds});
}

void set_value_goal(const std::string& goal, const data::Schema& schema, SuggestOptions& options) {
  const std::size_t at = goal.rfind('=');
  base::require(at != std::string::npos, ErrorCode::usage,
                "--goal is {}, expected learn, maximise, minimise or TARGET=VALUE", base::quoted(goal));
  const std::vector<std::string> targets = schema.target_names();
  const std::string target = goal.substr(0, at);
  const auto found = std::ranges::find(targets, target);
  base::require(found != targets.end(), ErrorCode::usage, "--goal: {} is no target of the model{}",
                base::quoted(target), base::suggestion(target, targets));
  const auto value = base::parse_double(goal.substr(at + 1));
  base::require(value.has_value(), ErrorCode::usage, "--goal: {} is no number", base::quoted(goal.substr(at + 1)));
  options.goal = Goal::value;
  options.output = static_cast<std::size_t>(found - targets.begin());
  options.value = *value;
}

void set_goal(const std::string& goal, const data::Schema& schema, SuggestOptions& options) {
  if (goal == "learn") return;
  if (goal != "maximise" && goal != "minimise") return set_value_goal(goal, schema, options);
  base::require(schema.targets.size() == 1, ErrorCode::usage, "--goal {} needs a model of one output, this one has {}",
                goal, schema.targets.size());
  options.goal = base::parse_enum<Goal>(goal);
}

Candidates candidates_of(const Ensemble& ensemble, const SuggestArguments& arguments) {
  return arguments.bounds.empty() ? read_candidates(ensemble, arguments, arguments.cost)
                                  : candidates_within(ensemble, arguments.bounds, rows_in_box, arguments.seed);
}

Candidates rows_of(const Ensemble& ensemble, const SuggestArguments& arguments, const std::string& path) {
  if (path.empty()) return {};
  RowArguments rows = arguments;
  rows.data = path;
  return read_candidates(ensemble, rows, "");
}

void write_rows(const std::string& path, const Candidates& candidates, const Suggestion& suggestion) {
  base::OutputFile file(path);
  std::vector<std::string> headings;
  for (const std::string& column : candidates.columns) headings.push_back(csv_cell(column, candidates.delimiter));
  file.write(base::join(headings, std::string(1, candidates.delimiter)) + "\n");
  for (const SuggestedRow& row : suggestion.rows) file.write(candidates.rows[row.row] + "\n");
  file.commit();
}

/// Rows are called by their line in a text file, by their number in an array, and by their values within bounds.
report::SuggestionText text_of(const Ensemble& ensemble, const SuggestArguments& arguments,
                               const Candidates& candidates, const SuggestOptions& options,
                               const Suggestion& suggestion) {
  const bool is_box = !arguments.bounds.empty();
  const std::string pool = arguments.data == "-" ? "standard input" : arguments.data;
  report::SuggestionText text{
      .suggestion = suggestion,
      .options = options,
      .state = ensemble.state(),
      .row_heading = is_box ? base::join(candidates.columns, ",")
                            : fmt::format("{} of {}", candidates.first_line > 0 ? "line" : "row", pool),
      .at = arguments.at.empty() ? (is_box ? "rows within " + arguments.bounds : "rows of " + pool)
                                 : "rows of " + arguments.at,
      .at_rows = options.at.empty() ? candidates.inputs.rows() : options.at.rows()};
  for (const SuggestedRow& row : suggestion.rows) {
    text.rows.push_back(is_box ? candidates.rows[row.row] : std::to_string(candidates.first_line + row.row));
  }
  return text;
}

void run(const SuggestArguments& arguments) {
  check(arguments);
  const Ensemble ensemble = load(arguments.model);
  base::require(ensemble.task() == Task::regression, ErrorCode::usage,
                "{} predicts classes; suggestions are for models that predict numbers", arguments.model);
  SuggestOptions options{.count = arguments.count, .seed = arguments.seed};
  set_goal(arguments.goal, ensemble.state().schema, options);
  const Candidates candidates = candidates_of(ensemble, arguments);
  base::require(arguments.count <= candidates.inputs.rows(), ErrorCode::usage, "-n is {}, expected at most {}, the {}",
                arguments.count, candidates.inputs.rows(), arguments.bounds.empty() ? "rows of POOL" : "rows tried");
  const Matrix at = arguments.at.empty() ? Matrix() : ensemble.read_inputs(arguments.at, arguments.format);
  const Candidates pending = rows_of(ensemble, arguments, arguments.pending);
  options.at = at;
  options.pending = pending.inputs;
  options.cost = candidates.cost;
  options.noise_std = candidates.noise_std;
  options.pending_noise_std = pending.noise_std;
  const Suggestion suggestion = suggest(ensemble, candidates.inputs, options);
  if (!arguments.output.empty()) write_rows(arguments.output, candidates, suggestion);
  if (is_standard_output(arguments.output)) return;
  const report::SuggestionText text = text_of(ensemble, arguments, candidates, options, suggestion);
  if (arguments.json) return print_json(report::suggestion_json(text));
  print(report::suggestion_text(text));
}

}  // namespace

Verb suggest_verb() {
  return make_verb<SuggestArguments>(
      "suggest", "says which rows to measure next, and what they are expected to teach",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors",
       "credens suggest model.safetensors test.csv -n 3 -o next.csv"},
      declare, run);
}

}  // namespace credens::cli
