// SPDX-License-Identifier: Apache-2.0

#include "store/merge.hpp"

#include <credens/store.hpp>

#include "cli/files.hpp"
#include "cli/print.hpp"
#include "cli/rows.hpp"
#include "cli/verbs.hpp"
#include "learn/finish.hpp"
#include "learn/fit.hpp"
#include "learn/recipe.hpp"
#include "model/ensemble_state.hpp"

namespace credens::cli {

namespace {

struct MergeArguments {
  std::vector<std::string> parts;
  RowArguments train;
  std::string output;
  bool json = false;
};

void declare(Arguments& arguments, MergeArguments& merge) {
  arguments.files("PART", merge.parts, "Parts written by `credens fit --member-range`, in any order");
  arguments.option("-o,--output", "MODEL", merge.output, "The whole model").required = true;
  arguments.toggle("--json", merge.json, "Print the summary as JSON");
  arguments.group("Table");
  arguments.option(
      "--train", "TRAIN", merge.train.data,
      "Training table, to finish parts of the recipe auto; not needed for finished parts; - is standard input");
  train_options(arguments, merge.train);
  column_option(arguments, "--group", merge.train.columns.group, "Column of groups, the same as for `fit`");
  column_option(arguments, "--time", merge.train.columns.time, "Column of times, the same as for `fit`");
}

void check(const MergeArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> files{{"--train", arguments.train.data}};
  for (const std::string& part : arguments.parts) files.emplace_back(fmt::format("PART {}", files.size()), part);
  check_standard_input(files);
  check_not_input(arguments.output, arguments.parts);
  check_not_input(arguments.output, {arguments.train.data});
  base::require(!arguments.train.data.empty() || arguments.train.columns.empty(), ErrorCode::usage,
                "columns are named, but --train gives no table");
}

void check_rows(const learn::Fit& fit, const Ensemble& whole, const MergeArguments& arguments) {
  const auto found = store::data_difference(fit.data(), whole.state().data, "there");
  base::require(!found, ErrorCode::model,
                "{} does not hold the rows, weights and noise that {} was made from: it has {}",
                arguments.train.data == "-" ? "standard input" : arguments.train.data, arguments.parts.front(),
                found.value_or(""));
  const std::string units = model::stored_option(whole.state(), "fold_units").value_or("");
  if (units == fit.table().fold_units().digits()) return;
  const std::string& part = arguments.parts.front();
  const data::GivenColumns& given = arguments.train.columns;
  const std::string column = given.group.empty() ? given.time : given.group;
  base::require(!units.empty(), ErrorCode::usage, "{} was trained without --group and --time, expected neither here",
                part);
  base::require(!column.empty(), ErrorCode::usage,
                "{} was trained with --group or --time, expected the same columns here", part);
  base::fail(ErrorCode::usage, "column {} does not hold the groups or times that {} was trained with",
             base::quoted(column), part);
}

/// Takes the last steps of `fit`, whatever posterior a part was given since. Columns lie as in training,
/// wherever they lie in the table at hand. Parts know validation rows by their fingerprint alone, and nothing more is
/// needed.
Ensemble finish(const Ensemble& whole, learn::Fit& fit) {
  constexpr std::string_view name = "validation";
  std::vector<model::Member> members = whole.state().members;
  for (model::Member& member : members) member.posterior = {};
  auto state = std::make_shared<model::EnsembleState>(fit.wide(std::move(members)).state());
  state->schema = whole.state().schema;
  const std::optional<std::string> fingerprint = model::stored_option(whole.state(), name);
  if (fingerprint) state->options.emplace_back(name, *fingerprint);
  return Ensemble(std::move(state));
}

Ensemble merge(const MergeArguments& arguments) {
  std::vector<std::pair<std::string, Ensemble>> parts;
  for (const std::string& part : arguments.parts) parts.emplace_back(part, load(part));
  const Ensemble whole = store::merge(parts);
  const auto& [name, first] = parts.front();
  const bool unfinished = naming(name, ErrorCode::model, [&] {
    const model::EnsembleState& part = first.state();
    return learn::is_unfinished_part(part.members.size(), part.total_members, learn::restore_options(part.options));
  });
  if (arguments.train.data.empty()) {
    base::require(!unfinished, ErrorCode::usage,
                  "--train is missing: these parts are finished with held-out rows, expected the table that they were "
                  "trained on");
    return whole;
  }
  base::require(whole.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks: leave out --train", name);
  learn::Fit fit(open_rows(whole, arguments.train, data::Targets::needed),
                 learn::Plan{learn::restore_options(whole.state().options), whole.state().decisions});
  check_rows(fit, whole, arguments);
  return unfinished ? finish(whole, fit) : whole;
}

void run(const MergeArguments& arguments) {
  check(arguments);
  const Ensemble whole = merge(arguments);
  save(whole, arguments.output);
  print_summary(whole, arguments.output, {.json = arguments.json});
}

}  // namespace

Verb merge_verb() {
  return make_verb<MergeArguments>(
      "merge", "joins separately trained parts into one model",
      {"credens fit train.csv --target y --members 10 --epochs 20 --member-range 0:5 -o first.safetensors",
       "credens fit train.csv --target y --members 10 --epochs 20 --member-range 5:10 -o second.safetensors",
       "credens merge first.safetensors second.safetensors --train train.csv -o model.safetensors"},
      declare, run);
}

}  // namespace credens::cli
