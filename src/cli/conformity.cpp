// SPDX-License-Identifier: Apache-2.0

#include "cli/conformity.hpp"

#include <algorithm>

#include "decide/names.hpp"

namespace credens::cli {

namespace {

constexpr const char* limit_expects = "a number, or OUTPUT=NUMBER for each output that has a limit";

bool is_number(const NamedValue& named) {
  return base::parse_double(named.value).has_value();
}

void limit_option(Arguments& arguments, const std::string& flag, std::vector<NamedValue>& into,
                  const std::string& which) {
  named_values_option(arguments, flag, "NUMBER|OUTPUT=NUMBER,..", into,
                      fmt::format("{} limit of tolerance: {}", which, limit_expects), limit_expects, is_number);
}

std::size_t output_called(const std::string& name, const std::vector<data::Column>& outputs, const char* flag) {
  if (name.empty()) {
    base::require(outputs.size() == 1, ErrorCode::usage,
                  "{} is a number alone, but the model has {} outputs: expected OUTPUT=NUMBER", flag, outputs.size());
    return 0;
  }
  std::vector<std::string> names;
  for (const data::Column& output : outputs) names.push_back(output.name);
  const auto found = std::ranges::find(names, name);
  base::require(found != names.end(), ErrorCode::usage, "{} names {}, expected one of the outputs {}{}", flag,
                base::quoted(name), base::join(names, ", "), base::suggestion(name, names));
  return static_cast<std::size_t>(found - names.begin());
}

void set_limits(const std::vector<NamedValue>& given, const char* flag, const std::vector<data::Column>& outputs,
                std::optional<double> ToleranceLimits::*end, std::vector<ToleranceLimits>& limits) {
  for (const NamedValue& named : given) {
    std::optional<double>& limit = limits[output_called(named.name, outputs, flag)].*end;
    base::require(!limit, ErrorCode::usage, "{} gives two limits to one output", flag);
    limit = base::parse_double(named.value);
  }
}

std::vector<double> numbers_of(const std::vector<Statement>& statements) {
  std::vector<double> numbers;
  for (const Statement statement : statements) numbers.push_back(static_cast<double>(statement));
  return numbers;
}

}  // namespace

void conformity_arguments(Arguments& arguments, ConformityArguments& conformity) {
  arguments.group("Conformity");
  limit_option(arguments, "--lower-limit", conformity.lower, "Lower");
  limit_option(arguments, "--upper-limit", conformity.upper, "Upper");
  arguments.option("--decide", "RULE", conformity.rule,
                   "simple: pass where the mean lies within the limits; guarded, if not given: pass and fail where the "
                   "risk is small enough, conditional statements between",
                   one_of<DecisionRule>());
  arguments.option("--risk", "P", conformity.risk,
                   "Largest probability that a pass, or a fail, is wrong; 0.05 if not given",
                   {.text = "a number between 0 and 0.5",
                    .holds = [](const double& value) { return value > 0 && value < 0.5; }});
  arguments.option("--of", "WHAT", conformity.of,
                   "Whose value is to conform: an observation, if not given, or the regression function",
                   one_of<Measurand>());
}

void check_arguments(const ConformityArguments& arguments) {
  if (arguments.is_given()) {
    base::require(!arguments.risk || arguments.rule != DecisionRule::simple, ErrorCode::usage,
                  "--risk is for guarded decisions, but --decide is simple");
    return;
  }
  const std::pair<const char*, bool> of_limits[] = {
      {"--decide", arguments.rule.has_value()}, {"--risk", arguments.risk.has_value()}, {"--of", arguments.of.has_value()}};
  for (const auto& [flag, is_given] : of_limits) {
    base::require(!is_given, ErrorCode::usage, "{} needs a limit: give --lower-limit, --upper-limit or both", flag);
  }
}

std::vector<ToleranceLimits> limits_of(const ConformityArguments& arguments, const std::vector<data::Column>& outputs) {
  std::vector<ToleranceLimits> limits(outputs.size());
  set_limits(arguments.lower, "--lower-limit", outputs, &ToleranceLimits::lower, limits);
  set_limits(arguments.upper, "--upper-limit", outputs, &ToleranceLimits::upper, limits);
  return limits;
}

std::vector<Quantity> conformity_quantities(const Predictive& predictive, const ConformityArguments& arguments,
                                            const std::vector<ToleranceLimits>& limits) {
  const ConformityOptions defaults;
  const ConformityOptions options{.rule = arguments.rule.value_or(defaults.rule),
                                  .risk = arguments.risk.value_or(defaults.risk),
                                  .of = arguments.of.value_or(defaults.of)};
  Conformity found = conformity(predictive, limits, options);
  std::vector<bool> any;
  std::vector<bool> lower;
  std::vector<bool> upper;
  for (const ToleranceLimits& of_output : limits) {
    any.push_back(of_output.is_given());
    lower.push_back(of_output.lower && options.rule == DecisionRule::guarded);
    upper.push_back(of_output.upper && options.rule == DecisionRule::guarded);
  }
  const Matrix statements(found.probability.rows(), found.probability.cols(), numbers_of(found.statement));
  return {{.name = "conformity", .values = std::move(found.probability), .has_unit = false, .outputs = any},
          {.name = "guard_lower", .values = std::move(found.guard_lower), .outputs = lower},
          {.name = "guard_upper", .values = std::move(found.guard_upper), .outputs = upper},
          {.name = "statement",
           .values = statements,
           .has_unit = false,
           .words = base::all_names<Statement>(),
           .outputs = any}};
}

}  // namespace credens::cli
