// SPDX-License-Identifier: Apache-2.0

#include <credens/store.hpp>

#include "cli/print.hpp"
#include "cli/summary.hpp"
#include "cli/verbs.hpp"
#include "model/ensemble_state.hpp"
#include "report/number.hpp"
#include "report/table.hpp"

namespace credens::cli {

namespace {

struct InspectArguments {
  std::string model;
  bool json = false;
};

void declare(Arguments& arguments, InspectArguments& inspect) {
  arguments.file("MODEL", inspect.model, "A model, or a part of one; - is standard input");
  arguments.toggle("--json", inspect.json, "Print JSON");
}

std::string number(const std::optional<double>& value) {
  return value ? report::significant(*value, 6) : "-";
}

std::string members_table(const model::EnsembleState& state) {
  report::Table table{.headings = {"member", "features", "weight", "gamma", "ELBO isotropic", "diagonal", "full"}};
  for (std::size_t l = 0; l < state.members.size(); ++l) {
    const model::Member& member = state.members[l];
    const model::MemberPosterior& posterior = member.posterior;
    table.rows.push_back({fmt::format("{}", member.index), fmt::format("{}", member.features), number(state.weights[l]),
                          number(posterior.gamma), number(posterior.elbo.isotropic), number(posterior.elbo.diagonal),
                          number(posterior.elbo.full)});
  }
  return report::table_text(table);
}

Lines option_lines(const model::EnsembleState& state) {
  Lines lines;
  if (!state.data.fingerprint.empty()) lines.emplace_back("data fingerprint", state.data.fingerprint);
  for (const auto& [name, value] : state.options) lines.emplace_back(name, base::to_text(value));
  return lines;
}

void run(const InspectArguments& arguments) {
  const Ensemble ensemble = load(arguments.model);
  if (arguments.json) return print_json(model_json(ensemble));
  print_lines(model_lines(ensemble));
  print("\n" + members_table(ensemble.state()));
  const Lines options = option_lines(ensemble.state());
  if (!options.empty()) print("\n");
  print_lines(options);
}

}  // namespace

Verb inspect_verb() {
  return make_verb<InspectArguments>(
      "inspect", "shows what is in a model file",
      {"credens fit train.csv --target y --epochs 20 -o model.safetensors", "credens inspect model.safetensors"},
      declare, run);
}

}  // namespace credens::cli
