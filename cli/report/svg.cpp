// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/svg_axis.h"

namespace bochner::cli::svg {
namespace {

constexpr double kLeft = 62, kTop = 30, kBottom = 46, kRight = 16, kEndLabels = 128, kLegend = 30;
constexpr double kCharacter = 6.6;  ///< mean width of a character at 12 px, for laying out the legend

std::string class_of(int colour) { return colour == kGrey ? "cg" : fmt::format("c{}", colour); }

std::string mark(Mark shape, double x, double y, const std::string& colour) {
  switch (shape) {
    case Mark::none:
      return "";
    case Mark::dot:
      return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"1.8\"/>", colour, x, y);
    case Mark::circle:
      return fmt::format("<circle class=\"mark {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"/>", colour, x, y);
    case Mark::square:
      return fmt::format("<rect class=\"mark {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.6\" height=\"6.6\"/>", colour,
                         x - 3.3, y - 3.3);
    case Mark::triangle:
      return fmt::format("<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l4.2 7.4h-8.4z\"/>", colour, x, y - 4.8);
    case Mark::diamond:
      return fmt::format("<path class=\"mark {}\" d=\"M{:.1f} {:.1f}l4.4 4.4-4.4 4.4-4.4-4.4z\"/>", colour, x, y - 4.4);
  }
  return "";
}

std::string dash(Line line) { return line == Line::dashed ? " stroke-dasharray=\"5 4\"" : ""; }

/// Where the parts of one chart lie inside the picture.
struct Frame {
  double left, right, top, bottom;
  Scale x, y;
};

void draw_axes(const Chart& chart, const Frame& f, std::pair<double, double> x_range, std::pair<double, double> y_range,
               std::string& out) {
  for (const Tick& tick : ticks_of(chart.x, x_range)) {
    const double x = f.x(tick.value);
    out += fmt::format("<path class=\"grid{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", tick.label.empty() ? " minor" : "", x,
                       f.top, f.bottom);
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x,
                       f.bottom + 16, tick.label);
  }
  for (const Tick& tick : ticks_of(chart.y, y_range)) {
    const double y = f.y(tick.value);
    out += fmt::format("<path class=\"grid{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>", tick.label.empty() ? " minor" : "",
                       f.left, y, f.right);
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", f.left - 7,
                       y + 4, tick.label);
  }
  out += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\"/>", f.left, f.top, f.bottom, f.right);
  out +=
      fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", f.left, f.top - 11, escape(chart.title));
  out += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                     (f.left + f.right) / 2, f.bottom + 35, escape(chart.x.label));
  out += fmt::format(
      "<text class=\"label\" transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
      f.left - 46, (f.top + f.bottom) / 2, escape(chart.y.label));
}

void draw_series(const Series& series, const Frame& f, std::string& out) {
  const std::string colour = class_of(series.colour);
  if (series.line != Line::none && series.x.size() > 1) {
    out += fmt::format("<path class=\"line {}\"{} d=\"", colour, dash(series.line));
    for (std::size_t i = 0; i < series.x.size(); ++i)
      out += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", f.x(series.x[i]), f.y(series.y[i]));
    out += "\"/>";
  }
  for (std::size_t i = 0; i < series.low.size(); ++i)
    out += fmt::format("<path class=\"bar {}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", colour, f.x(series.x[i]),
                       f.y(series.low[i]), f.y(series.high[i]));
  for (std::size_t i = 0; i < series.x.size(); ++i)
    out += mark(series.mark, f.x(series.x[i]), f.y(series.y[i]), colour);
}

/// Draws names at the right end of their lines, at least one line height apart.
void draw_end_labels(const Chart& chart, const Frame& f, std::string& out) {
  struct Label {
    double y;
    const Series* series;
  };
  std::vector<Label> labels;
  for (const Series& series : chart.series) {
    const auto same = [&](const Label& label) { return label.series->name == series.name; };
    if (!series.name.empty() && !series.y.empty() && std::none_of(labels.begin(), labels.end(), same))
      labels.push_back({f.y(series.y.back()), &series});
  }
  std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + 14);
  const double over = labels.empty() ? 0 : labels.back().y - f.bottom;
  for (std::size_t i = labels.size(); over > 0 && i-- > 0;)
    labels[i].y = std::min(labels[i].y, f.bottom - 14.0 * static_cast<double>(labels.size() - 1 - i));
  for (const Label& label : labels)
    out += fmt::format("<text class=\"name t{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", class_of(label.series->colour),
                       f.right + 8, label.y + 4, escape(label.series->name));
}

void draw_legend(const Picture& picture, std::string& out) {
  std::vector<std::string> seen;
  double x = kLeft;
  for (const Chart& chart : picture.charts)
    for (const Series& first : chart.series) {
      if (first.name.empty() || std::find(seen.begin(), seen.end(), first.name) != seen.end()) continue;
      seen.push_back(first.name);
      for (const Series& series : chart.series) {
        if (series.name != first.name) continue;
        const std::string colour = class_of(series.colour);
        if (series.line != Line::none)
          out += fmt::format("<path class=\"line {}\"{} d=\"M{:.1f} 15h24\"/>", colour, dash(series.line), x);
        out += mark(series.mark, x + 12, 15, colour);
      }
      out += fmt::format("<text class=\"name\" x=\"{:.1f}\" y=\"19\">{}</text>", x + 30, escape(first.name));
      x += 52 + kCharacter * static_cast<double>(first.name.size());
    }
}

std::vector<double> values_of(const Chart& chart, bool vertical) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    const auto& source = vertical ? series.y : series.x;
    values.insert(values.end(), source.begin(), source.end());
    if (!vertical) continue;
    values.insert(values.end(), series.low.begin(), series.low.end());
    values.insert(values.end(), series.high.begin(), series.high.end());
  }
  return values;
}

}  // namespace

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string draw(const Picture& picture) {
  const std::size_t rows = (picture.charts.size() + picture.columns - 1) / picture.columns;
  const double head = picture.end_labels ? 0 : kLegend;
  const double cell = picture.width / static_cast<double>(picture.columns);
  std::string text = fmt::format(
      "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "aria-label=\"{2}\"><title>{2}</title>",
      picture.width, head + static_cast<double>(rows) * picture.chart_height, escape(picture.title));
  if (!picture.end_labels) draw_legend(picture, text);
  std::vector<double> all;
  for (const Chart& chart : picture.charts)
    for (const double value : values_of(chart, true)) all.push_back(value);
  for (std::size_t i = 0; i < picture.charts.size(); ++i) {
    const Chart& chart = picture.charts[i];
    const auto x_range = range_of(chart.x, values_of(chart, false));
    const auto y_range = range_of(chart.y, picture.shared_y ? all : values_of(chart, true));
    const double left = cell * static_cast<double>(i % picture.columns) + kLeft;
    const double top = head + picture.chart_height * static_cast<double>(i / picture.columns) + kTop;
    const double right = left - kLeft + cell - (picture.end_labels ? kEndLabels : kRight);
    const double bottom = top - kTop + picture.chart_height - kBottom;
    const Frame frame{
        left, right, top, bottom, Scale(x_range, chart.x.log, left, right), Scale(y_range, chart.y.log, bottom, top)};
    draw_axes(chart, frame, x_range, y_range, text);
    for (const Series& series : chart.series) draw_series(series, frame, text);
    if (picture.end_labels) draw_end_labels(chart, frame, text);
  }
  return text + "</svg>\n";
}

}  // namespace bochner::cli::svg
