// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Small line and scatter charts as SVG text, with linear or logarithmic axes, error bars, and a legend or labels at
/// the line ends. The colours are those of Okabe and Ito, which colour-blind readers can tell apart; marks differ in
/// shape, too.
namespace bochner::cli::svg {

enum class Mark { none, dot, circle, square, triangle, diamond };
enum class Line { none, solid, dashed };

/// The palette index for what is only a reference.
inline constexpr int kGrey = -1;

struct Series {
  std::string name;  ///< shown in the legend or at the line's end; empty: neither. Series of one name share an entry
  std::vector<double> x, y;
  int colour = 0;
  Mark mark = Mark::none;
  Line line = Line::solid;
  std::vector<double> low = {}, high = {};  ///< ends of error bars; empty: none
};

struct Axis {
  std::string label = {};
  bool log = false;
  std::vector<double> ticks = {};  ///< empty: chosen automatically
  std::optional<std::pair<double, double>> range = {};
};

struct Chart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
};

/// Charts in a grid. `title` is the text for screen readers.
struct Picture {
  std::string title;
  std::vector<Chart> charts;
  std::size_t columns = 1;
  double width = 1080;
  double chart_height = 300;
  bool shared_y = false;    ///< one range for all charts, so that they can be compared by eye
  bool end_labels = false;  ///< names at the line ends instead of a legend
};

/// The <svg> element; its colours come from style().
std::string draw(const Picture& picture);
/// CSS rules shared by every picture of a page, light and dark.
std::string style();
/// Makes a file of its own from an <svg> element, with style and background inside.
std::string standalone(const std::string& element);
/// `text` with escapes for &, <, > and ".
std::string escape(const std::string& text);

}  // namespace bochner::cli::svg
