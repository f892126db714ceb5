// SPDX-License-Identifier: Apache-2.0
//
// The words for schedules, recipes and efforts.

#pragma once

#include <credens/fit.hpp>

#include "model/names.hpp"

namespace credens::base {

template <>
struct EnumNames<Schedule> {
  static constexpr std::string_view what = "schedule";
  static constexpr std::pair<Schedule, std::string_view> entries[] = {{Schedule::constant, "constant"},
                                                                      {Schedule::drop_last_five, "drop-last-five"},
                                                                      {Schedule::halve_last_five, "halve-last-five"},
                                                                      {Schedule::cosine, "cosine"}};
};

template <>
struct EnumNames<Recipe> {
  static constexpr std::string_view what = "recipe";
  static constexpr std::pair<Recipe, std::string_view> entries[] = {{Recipe::automatic, "auto"},
                                                                    {Recipe::paper, "paper"}};
};

template <>
struct EnumNames<Effort> {
  static constexpr std::string_view what = "effort";
  static constexpr std::pair<Effort, std::string_view> entries[] = {
      {Effort::quick, "quick"}, {Effort::normal, "normal"}, {Effort::thorough, "thorough"}};
};

}  // namespace credens::base
