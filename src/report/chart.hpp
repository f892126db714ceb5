// SPDX-License-Identifier: Apache-2.0
//
// Charts over two axes: bands, lines, points, bars and intervals, as Vega-Lite specs without colours. The page that
// shows a spec knows the colours, for light and for dark.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace credens::report {

/// The meaning of a mark: an estimate, the truth, or a reference to compare with. Several estimates beside each other
/// take the first four in turn; these differ in colour, dashes and shape.
enum class Role { estimate, second, third, fourth, truth, reference };

/// Labels stand in the legend; a mark without one is left out of it.
struct Band {
  std::string label;
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

/// Columns from 0 up to `height`, each between two edges: a histogram.
struct Bars {
  std::string label;
  Role role = Role::estimate;
  std::vector<double> left = {};
  std::vector<double> right = {};
  std::vector<double> height = {};
};

/// Vertical lines from `lower` to `upper`, one per x.
struct Intervals {
  std::string label;
  Role role = Role::estimate;
  std::vector<double> x = {};
  std::vector<double> lower = {};
  std::vector<double> upper = {};  ///< nowhere below `lower`
};

using Mark = std::variant<Band, Line, Points, Bars, Intervals>;

using Range = std::pair<double, double>;

enum class Scale { linear, logarithmic };

struct Chart {
  std::string title;
  std::string subtitle = {};
  std::string description = {};  ///< read aloud to people who cannot see the chart
  std::string x_title = {};
  std::string y_title = {};
  Scale x_scale = Scale::linear;
  Scale y_scale = Scale::linear;
  std::optional<Range> x_range = {};  ///< none: wide enough for all marks
  std::optional<Range> y_range = {};
  std::vector<std::string> x_names = {};  ///< of x = 1, 2, ..., which have no other ticks beside them
  std::vector<Mark> marks = {};           ///< later ones are drawn above earlier ones
};

/// The line y = x over a range of both.
Line diagonal(std::string label, const Range& range);
/// The line at height y over a range of x.
Line horizontal(std::string label, const Range& range, double y);

/// Values are rounded to eight digits, more than a screen shows. Throws when columns of a mark differ in length, hold
/// what is not finite or, on a logarithmic axis, not above 0, or a band or interval is upside down.
nlohmann::json vega_lite_spec(const Chart& chart);

/// The name under which a page styles a mark, e.g. "estimate_band".
std::string style_of(const Mark& mark);
const std::string& label_of(const Mark& mark);
Role role_of(const Mark& mark);

}  // namespace credens::report
