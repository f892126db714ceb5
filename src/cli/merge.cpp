// SPDX-License-Identifier: Apache-2.0

#include "store/merge.hpp"

#include <credens/store.hpp>

#include "cli/files.hpp"
#include "cli/summary.hpp"
#include "cli/verbs.hpp"

namespace credens::cli {

namespace {

struct MergeArguments {
  std::vector<std::string> parts;
  std::string output;
  bool json = false;
};

void declare(Arguments& arguments, MergeArguments& merge) {
  arguments.files("PART", merge.parts, "Parts that `credens fit --member-range` wrote, in any order");
  arguments.option<std::string>("-o,--output", "MODEL", merge.output, "The whole model", {}).required = true;
  arguments.toggle("--json", merge.json, "Print the summary as JSON");
}

void run(const MergeArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& part : arguments.parts) {
    files.emplace_back(fmt::format("PART {}", files.size() + 1), part);
  }
  check_standard_input(files);
  check_not_input(arguments.output, arguments.parts);
  std::vector<std::pair<std::string, Ensemble>> parts;
  for (const std::string& part : arguments.parts) parts.emplace_back(part, load(part));
  const Ensemble whole = store::merge(parts);
  save(whole, arguments.output);
  print_summary(whole, arguments.output, arguments.json);
}

}  // namespace

Verb merge_verb() {
  return make_verb<MergeArguments>(
      "merge", "makes one model of parts whose members were trained apart",
      {"credens fit train.csv --target y --epochs 20 --member-range 0:5 -o first.safetensors",
       "credens fit train.csv --target y --epochs 20 --member-range 5:10 -o second.safetensors",
       "credens merge first.safetensors second.safetensors -o model.safetensors"},
      declare, run);
}

}  // namespace credens::cli
