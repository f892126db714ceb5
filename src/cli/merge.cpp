// SPDX-License-Identifier: Apache-2.0

#include "store/merge.hpp"

#include <credens/store.hpp>

#include "cli/files.hpp"
#include "cli/model_rows.hpp"
#include "cli/summary.hpp"
#include "cli/verbs.hpp"
#include "learn/finish.hpp"
#include "learn/recipe.hpp"
#include "learn/widen_rows.hpp"
#include "model/ensemble_state.hpp"
#include "store/difference.hpp"

namespace credens::cli {

namespace {

struct MergeArguments {
  std::vector<std::string> parts;
  TrainArguments train;
  std::string output;
  bool json = false;
};

void declare(Arguments& arguments, MergeArguments& merge) {
  arguments.files("PART", merge.parts, "Parts that `credens fit --member-range` wrote, in any order");
  arguments.option<std::string>("-o,--output", "MODEL", merge.output, "The whole model", {}).required = true;
  arguments.toggle("--json", merge.json, "Print the summary as JSON");
  arguments.group("Table");
  arguments.option<std::string>("--train", "TRAIN", merge.train.table,
                                "The table that the members were trained on, from which the recipe auto finishes; "
                                "parts that are finished need none; - is standard input",
                                {});
  train_options(arguments, merge.train);
}

void check(const MergeArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> files{{"--train", arguments.train.table}};
  for (const std::string& part : arguments.parts) files.emplace_back(fmt::format("PART {}", files.size()), part);
  check_standard_input(files);
  check_not_input(arguments.output, arguments.parts);
  check_not_input(arguments.output, {arguments.train.table});
  base::require(!arguments.train.table.empty() || !arguments.train.names_columns(), ErrorCode::usage,
                "columns are named, but --train gives no table");
}

void check_rows(const learn::TrainingRows& train, const Ensemble& whole, const MergeArguments& arguments) {
  const auto found = store::data_difference({.rows = train.rows(), .fingerprint = train.summary().fingerprint},
                                            whole.state().data, "there");
  base::require(!found, ErrorCode::model,
                "{} does not hold the rows, weights and noise that {} was made from: it has {}",
                arguments.train.table == "-" ? "standard input" : arguments.train.table, arguments.parts.front(),
                found.value_or(""));
}

/// As they were when training ended, whatever posterior a part was given since.
std::vector<model::Member> narrow_members(const Ensemble& whole) {
  std::vector<model::Member> members = whole.state().members;
  for (model::Member& member : members) member.posterior = {};
  return members;
}

/// Of rows for early stopping the parts know the fingerprint alone, and nothing more is needed.
Ensemble with_validation_of(const Ensemble& whole, const Ensemble& narrow) {
  constexpr std::string_view name = "validation";
  const std::optional<std::string> fingerprint = model::stored_option(whole.state(), name);
  if (!fingerprint) return narrow;
  auto state = std::make_shared<model::EnsembleState>(narrow.state());
  state->options.emplace_back(name, *fingerprint);
  return Ensemble(std::move(state));
}

/// What `fit` does when all members are trained.
Ensemble finish(const Ensemble& whole, const learn::TrainingRows& train, const std::string& source) {
  const learn::Plan plan{learn::restore_options(whole.state().options), whole.state().decisions};
  const Ensemble narrow = with_validation_of(whole, learn::finish(train, plan, narrow_members(whole)));
  Ensemble wide = learn::widen(narrow, train.source());
  base::require(narrow.state().data == wide.state().data, ErrorCode::data, "{} changed while it was read", source);
  return wide;
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
  if (arguments.train.table.empty()) {
    base::require(!unfinished, ErrorCode::usage,
                  "--train is missing: these parts become a model by the rows that their members did not see, so give "
                  "the table that they were trained on");
    return whole;
  }
  base::require(whole.has_networks(), ErrorCode::usage,
                "{} was made from arrays and has no networks: leave out --train", name);
  const learn::TrainingRows train(std::make_unique<ModelRows>(whole, name, arguments.train));
  check_rows(train, whole, arguments);
  return unfinished ? finish(whole, train, arguments.train.table) : whole;
}

void run(const MergeArguments& arguments) {
  check(arguments);
  const Ensemble whole = merge(arguments);
  save(whole, arguments.output);
  print_summary(whole, arguments.output, arguments.json);
}

}  // namespace

Verb merge_verb() {
  return make_verb<MergeArguments>(
      "merge", "makes one model of parts whose members were trained apart",
      {"credens fit train.csv --target y --members 10 --epochs 20 --member-range 0:5 -o first.safetensors",
       "credens fit train.csv --target y --members 10 --epochs 20 --member-range 5:10 -o second.safetensors",
       "credens merge first.safetensors second.safetensors --train train.csv -o model.safetensors"},
      declare, run);
}

}  // namespace credens::cli
