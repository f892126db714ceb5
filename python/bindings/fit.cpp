// SPDX-License-Identifier: Apache-2.0
//
// Training on a thread of its own, while the one that asked for it looks after signals, progress and warnings.

#include <credens/fit.hpp>
#include <credens/widen.hpp>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "base/check.hpp"
#include "interruptible.hpp"
#include "learn/plan.hpp"
#include "learn/recipe.hpp"
#include "model/ensemble_state.hpp"
#include "model/names.hpp"
#include "module.hpp"

namespace credens::python {

namespace {

/// Keywords and what is given for them, as text.
using Values = std::vector<std::pair<std::string, std::string>>;

/// Python has a use of its own for the word lambda. The other keywords are the names of the table.
constexpr std::string_view lambda_keyword = "prior_precision";
constexpr std::string_view lambda_name = "lambda";

FitOptions options_of(const Values& given) {
  FitOptions options;
  for (const auto& [keyword, text] : given) {
    const auto* option = learn::fit_options().find(keyword == lambda_keyword ? lambda_name : std::string_view(keyword));
    base::require(option != nullptr, ErrorCode::usage, "there is no option {}", base::quoted(keyword));
    try {
      option->set(options, text);
    } catch (const Error&) {
      base::fail(ErrorCode::usage, "{} is {}, expected {}", keyword, base::quoted(text), option->expects);
    }
  }
  return options;
}

/// Progress and warnings on their way from the threads of a fit to the thread that waits.
class Messages {
 public:
  void set(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
  }
  void add(std::string_view warning) {
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(warning);
  }
  std::optional<Progress> take_progress() {
    const std::lock_guard lock(mutex_);
    return std::exchange(progress_, std::nullopt);
  }
  std::vector<std::string> take_warnings() {
    const std::lock_guard lock(mutex_);
    return std::exchange(warnings_, {});
  }

 private:
  std::mutex mutex_;
  std::optional<Progress> progress_;
  std::vector<std::string> warnings_;
};

/// With the GIL; throws what Python raises.
void deliver(Messages& messages, const nb::object& on_progress, const nb::object& on_warning) {
  check_signals();
  for (const std::string& warning : messages.take_warnings()) on_warning(warning);
  const std::optional<Progress> progress = messages.take_progress();
  if (!progress || on_progress.is_none()) return;
  on_progress(progress->members_done, progress->members, progress->fraction, progress->seconds_elapsed,
              progress->seconds_left);
}

Ensemble fit_model(const Dataset& train, const Values& given, const Dataset* validation, const nb::object& on_progress,
                   const nb::object& on_warning) {
  Messages messages;
  FitOptions options = options_of(given);
  options.validation = validation;
  options.on_progress = [&](const Progress& progress) { messages.set(progress); };
  options.on_warning = [&](std::string_view warning) { messages.add(warning); };
  const auto work = [&](const std::stop_token& stop) {
    options.stop = stop;
    return fit(train, options);
  };
  Ensemble model = interruptible(work, [&] { deliver(messages, on_progress, on_warning); });
  deliver(messages, on_progress, on_warning);
  return model;
}

Ensemble widen_model(const Ensemble& ensemble, const Dataset& train, const std::optional<std::string>& posterior,
                     std::optional<double> prior_precision, bool evidence, std::optional<bool> random_bias,
                     int threads) {
  WidenOptions options{
      .prior_precision = prior_precision, .evidence = evidence, .random_bias = random_bias, .threads = threads};
  if (posterior) options.posterior = base::parse_enum<PosteriorKind>(*posterior);
  return unlocked([&] { return widen(ensemble, train, options); });
}

/// Keyword, default as text (empty: left to the recipe), help and range of each option of `fit`.
nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str, nb::str, nb::str>> option_table() {
  const FitOptions fresh;
  nb::list rows;
  for (const auto& option : learn::fit_options().options()) {
    const std::string keyword(option.name == lambda_name ? lambda_keyword : std::string_view(option.name));
    rows.append(nb::make_tuple(keyword, base::to_text(option.get(fresh)), option.help, option.expects));
  }
  return rows;
}

/// Name and value, as text, of each option that determines a fit of so many rows: the given ones and those that the
/// recipe decides.
Values planned_options(const Values& given, std::size_t rows, std::size_t inputs, std::size_t outputs,
                       std::size_t classes) {
  const learn::DataSize size{.rows = rows, .inputs = inputs, .outputs = outputs, .classes = classes};
  const learn::Plan plan = learn::make_plan(options_of(given), size);
  Values planned;
  for (const auto& [name, value] : learn::stored_options(plan.options))
    planned.emplace_back(name, base::to_text(value));
  return planned;
}

}  // namespace

void register_fit(nb::module_& module) {
  using namespace nb::literals;
  module.def("fit", &fit_model, "train"_a, "options"_a, "validation"_a.none(), "on_progress"_a.none(), "on_warning"_a);
  module.def("widen", &widen_model, "ensemble"_a, "train"_a, "posterior"_a.none(), "prior_precision"_a.none(),
             "evidence"_a, "random_bias"_a.none(), "threads"_a);
  module.def("fit_options", &option_table);
  module.def("planned_options", &planned_options, "options"_a, "rows"_a, "inputs"_a, "outputs"_a, "classes"_a);
}

}  // namespace credens::python
