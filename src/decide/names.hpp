// SPDX-License-Identifier: Apache-2.0
//
// The words for decisions: in flags, tables and messages.

#pragma once

#include <credens/conformity.hpp>
#include <credens/suggest.hpp>
#include <credens/uncertain_inputs.hpp>

#include "base/text.hpp"

namespace credens::base {

template <>
struct EnumNames<DecisionRule> {
  static constexpr std::string_view what = "decision rule";
  static constexpr std::pair<DecisionRule, std::string_view> entries[] = {{DecisionRule::simple, "simple"},
                                                                          {DecisionRule::guarded, "guarded"}};
};

template <>
struct EnumNames<Measurand> {
  static constexpr std::string_view what = "measurand";
  static constexpr std::pair<Measurand, std::string_view> entries[] = {{Measurand::observation, "observation"},
                                                                       {Measurand::function, "function"}};
};

template <>
struct EnumNames<InputMethod> {
  static constexpr std::string_view what = "input method";
  static constexpr std::pair<InputMethod, std::string_view> entries[] = {{InputMethod::draws, "draws"},
                                                                         {InputMethod::first_order, "first-order"}};
};

/// The words of ILAC-G8, in the order of their numbers.
template <>
struct EnumNames<Statement> {
  static constexpr std::string_view what = "statement";
  static constexpr std::pair<Statement, std::string_view> entries[] = {
      {Statement::pass, "pass"},
      {Statement::conditional_pass, "conditional pass"},
      {Statement::conditional_fail, "conditional fail"},
      {Statement::fail, "fail"}};
};

template <>
struct EnumNames<Goal> {
  static constexpr std::string_view what = "goal";
  static constexpr std::pair<Goal, std::string_view> entries[] = {
      {Goal::learn, "learn"}, {Goal::maximise, "maximise"}, {Goal::minimise, "minimise"}, {Goal::value, "value"}};
};

}  // namespace credens::base
