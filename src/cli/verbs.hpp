// SPDX-License-Identifier: Apache-2.0
//
// The verbs of the command line, `credens NAME ...`, and their help.
//
// To add one: write src/cli/NAME.cpp with a function `Verb NAME_verb()` (version.cpp is the shortest example), declare
// it here, add it to all_verbs() in verbs.cpp and to the sources in CMakeLists.txt.

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/arguments.hpp"

namespace credens::cli {

struct Verb {
  std::string name;
  std::string summary;                      ///< one line, no full stop
  std::vector<std::string> example;         ///< command lines; a test runs them in a folder with train.csv and test.csv
  std::function<void(Arguments&)> declare;  ///< says what the verb takes
  std::function<int()> run;                 ///< gives the exit status; throws credens::Error
  bool is_spread = false;                   ///< over the ranks of mpirun; otherwise it is rank 0's alone
};

/// `declare` binds arguments to the fields of an Options, `run` gets the Options once they are filled.
template <class Options>
Verb make_verb(std::string name, std::string summary, std::vector<std::string> example,
               void (*declare)(Arguments&, Options&), void (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  return {.name = std::move(name),
          .summary = std::move(summary),
          .example = std::move(example),
          .declare = [=](Arguments& arguments) { declare(arguments, *options); },
          .run = [=] {
            run(*options);
            return 0;
          }};
}

/// A verb with an exit status of its own.
template <class Options>
Verb make_verb(std::string name, std::string summary, std::vector<std::string> example,
               void (*declare)(Arguments&, Options&), int (*run)(const Options&)) {
  const auto options = std::make_shared<Options>();
  return {.name = std::move(name),
          .summary = std::move(summary),
          .example = std::move(example),
          .declare = [=](Arguments& arguments) { declare(arguments, *options); },
          .run = [=] { return run(*options); }};
}

/// A verb whose work the ranks of mpirun share.
inline Verb spread(Verb verb) {
  verb.is_spread = true;
  return verb;
}

constexpr int drift_status = 7;  ///< exit status of `check` where rows have drifted

Verb fit_verb();
Verb merge_verb();
Verb widen_verb();
Verb calibrate_verb();
Verb check_verb();
Verb predict_verb();
Verb evaluate_verb();
Verb explain_verb();
Verb sample_verb();
Verb suggest_verb();
Verb outputs_verb();
Verb inspect_verb();
Verb export_verb();
Verb report_verb();
Verb budget_verb();
Verb card_verb();
Verb pack_verb();
Verb demo_verb();
Verb version_verb();

/// In the order of the overview.
std::vector<Verb> all_verbs();

/// The verbs with their one-line summaries.
std::string overview(std::span<const Verb> verbs);

/// Usage of a verb: `credens fit TRAIN -o MODEL [options]`.
std::string usage_of(const Verb& verb, std::span<const Argument> arguments);

/// The titles under which arguments are listed, in their order.
std::vector<std::string> groups_of(std::span<const Argument> arguments);

/// Meaning of an argument, with its default or that it is required.
std::string meaning_of(const Argument& argument);

/// Usage, files, options by group with their defaults, and an example that runs.
std::string help_of(const Verb& verb);

}  // namespace credens::cli
