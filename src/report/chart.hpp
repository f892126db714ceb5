// SPDX-License-Identifier: Apache-2.0
//
// Charts over two axes: bands, lines, points, bars, intervals and maps, as Vega-Lite specs without colours. The page
// that shows a spec knows the colours, for light and for dark.

#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace credens::report {

/// The meaning of a mark: an estimate, the truth, or a reference to compare with. Several estimates beside each other
/// take the first four in turn; these differ in colour, dashes and shape.
enum class Role { estimate, second, third, fourth, truth, reference };

enum class MarkKind {
  band,       ///< between `y` and `y_end`, over x
  line,       ///< through the points (x, y)
  points,     ///< at (x, y)
  intervals,  ///< vertical lines from `y` to `y_end`, one per x
  bars,       ///< columns from 0 up to y, each from `x` to `x_end`: a histogram
  cells,      ///< rectangles from (`x`, `y`) to (`x_end`, `y_end`), coloured by `value`: a map or a matrix
};

/// Labels stand in the legend; a mark without one is left out of it. Cells have a scale of colours below the chart
/// instead.
struct Mark {
  MarkKind kind;
  std::string label;
  Role role = Role::estimate;
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> y_end = {};  ///< of bands, intervals and cells alone; nowhere below `y`
  std::vector<double> x_end = {};  ///< of bars and cells alone
  std::vector<double> value = {};  ///< of cells alone
};

using Range = std::pair<double, double>;

/// The colours of cells.
struct ColourScale {
  std::string title = {};
  Range range = {0, 1};
  bool has_middle = false;  ///< two colours that part at the middle of the range; else one that grows
};

constexpr int usual_chart_height = 290;

struct Chart {
  std::string title;
  std::string subtitle = {};
  std::string description = {};  ///< read aloud to people who cannot see the chart
  std::string x_title = {};
  std::string y_title = {};
  bool x_logarithmic = false;
  bool y_logarithmic = false;
  std::optional<Range> x_range = {};  ///< none: wide enough for all marks
  std::optional<Range> y_range = {};
  std::vector<std::string> x_names = {};  ///< of x = 1, 2, ..., which have no other ticks beside them
  std::vector<std::string> y_names = {};  ///< likewise of y, the first one on top
  ColourScale colours = {};
  int height = usual_chart_height;  ///< in pixels
  std::vector<Mark> marks = {};     ///< later ones are drawn above earlier ones
};

/// From the least to the largest of all values.
Range extent(std::initializer_list<const std::vector<double>*> columns);

/// The line y = x over a range of both.
Mark diagonal(std::string label, const Range& range);
/// The line at height y over a range of x.
Mark horizontal(std::string label, const Range& range, double y);

/// Values are rounded to eight digits, more than a screen shows. Throws when columns of a mark differ in length, hold
/// what is not finite or, on a logarithmic axis, not above 0, or a band or interval is upside down.
nlohmann::json vega_lite_spec(const Chart& chart);

/// The name under which a page styles a mark, e.g. "estimate_band".
std::string style_of(const Mark& mark);

}  // namespace credens::report
