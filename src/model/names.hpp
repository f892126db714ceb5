// SPDX-License-Identifier: Apache-2.0
//
// The words for the kinds of things: in flags, files, JSON and messages.

#pragma once

#include <credens/dataset.hpp>
#include <credens/ensemble.hpp>
#include <credens/network.hpp>
#include <credens/predictive.hpp>

#include "base/text.hpp"
#include "data/encoder.hpp"
#include "data/kinds.hpp"

namespace credens::base {

template <>
struct EnumNames<data::Cycle> {
  static constexpr std::string_view what = "cycle";
  static constexpr std::pair<data::Cycle, std::string_view> entries[] = {
      {data::Cycle::day, "day"}, {data::Cycle::week, "week"}, {data::Cycle::year, "year"}};
};

template <>
struct EnumNames<Activation> {
  static constexpr std::string_view what = "activation";
  static constexpr std::pair<Activation, std::string_view> entries[] = {{Activation::relu, "relu"},
                                                                        {Activation::tanh, "tanh"},
                                                                        {Activation::silu, "silu"},
                                                                        {Activation::gelu, "gelu"},
                                                                        {Activation::elu, "elu"}};
};

template <>
struct EnumNames<NoiseKind> {
  static constexpr std::string_view what = "noise";
  static constexpr std::pair<NoiseKind, std::string_view> entries[] = {{NoiseKind::shared, "shared"},
                                                                       {NoiseKind::per_output, "per-output"},
                                                                       {NoiseKind::constant, "constant"},
                                                                       {NoiseKind::known, "known"}};
};

template <>
struct EnumNames<NoiseLink> {
  static constexpr std::string_view what = "noise link";
  static constexpr std::pair<NoiseLink, std::string_view> entries[] = {{NoiseLink::softplus, "softplus"},
                                                                       {NoiseLink::exp, "exp"}};
};

template <>
struct EnumNames<PosteriorKind> {
  static constexpr std::string_view what = "posterior";
  static constexpr std::pair<PosteriorKind, std::string_view> entries[] = {{PosteriorKind::delta, "delta"},
                                                                           {PosteriorKind::isotropic, "isotropic"},
                                                                           {PosteriorKind::diagonal, "diagonal"},
                                                                           {PosteriorKind::full, "full"}};
};

template <>
struct EnumNames<IntervalKind> {
  static constexpr std::string_view what = "interval";
  static constexpr std::pair<IntervalKind, std::string_view> entries[] = {{IntervalKind::gaussian, "gaussian"},
                                                                          {IntervalKind::mixture, "mixture"}};
};

template <>
struct EnumNames<Draw> {
  static constexpr std::string_view what = "draw";
  static constexpr std::pair<Draw, std::string_view> entries[] = {{Draw::function, "function"},
                                                                  {Draw::observation, "observation"}};
};

}  // namespace credens::base
