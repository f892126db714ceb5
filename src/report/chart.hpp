// SPDX-License-Identifier: Apache-2.0
//
// Charts over one axis: bands, lines and points, as Vega-Lite specs without colours. The page that shows a spec knows
// the colours, for light and for dark.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace credens::report {

/// Whom a mark speaks for: what was inferred, or what really is.
enum class Role { estimate, truth };

struct Band {
  std::string label;  ///< in the legend
  Role role = Role::estimate;
  std::vector<double> x = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};  ///< nowhere below `lower`
};

struct Line {
  std::string label;
  Role role = Role::estimate;
  std::vector<double> x = {};
  std::vector<double> y = {};
};

struct Points {
  std::string label;
  Role role = Role::truth;
  std::vector<double> x = {};
  std::vector<double> y = {};
};

using Mark = std::variant<Band, Line, Points>;

using Range = std::pair<double, double>;

struct Chart {
  std::string title;
  std::string subtitle = {};
  std::string description = {};  ///< what a reader who cannot see it should hear
  std::string x_title = {};
  std::string y_title = {};
  std::optional<Range> x_range = {};  ///< none: what the marks need
  std::optional<Range> y_range = {};
  std::vector<Mark> marks = {};  ///< later ones are drawn above earlier ones
};

/// Throws when columns of a mark differ in length, hold what is not finite, or a band is upside down.
nlohmann::json vega_lite_spec(const Chart& chart);

/// The name under which a page gives a mark its looks, e.g. "estimate_band".
std::string style_of(const Mark& mark);
const std::string& label_of(const Mark& mark);

}  // namespace credens::report
