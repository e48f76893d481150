// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/fit_page.h"

namespace bochner::cli {
namespace {

using svg::Chart;
using svg::Line;
using svg::Mark;
using svg::Picture;
using svg::Series;

constexpr double kLabels = 150, kHead = 56, kCharacter = 7.2, kWidth = 1080;
/// With more classes there is no room for the counts, or for their names.
constexpr std::size_t kMostCounted = 14, kMostNamed = 30;

/// As much of a name as a width has room for.
std::string shortened(const std::string& name, double width) {
  const auto most = static_cast<std::size_t>(std::max(width / kCharacter, 1.0));
  if (name.size() <= most) return svg::escape(name);
  // Never cut inside a character of several bytes.
  std::size_t cut = most - 1;
  while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) --cut;
  return svg::escape(name.substr(0, cut)) + "&#8230;";
}

std::string text(double x, double y, const char* anchor, const std::string& style, const std::string& words) {
  return fmt::format("<text class=\"{}\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", style, anchor, x, y,
                     words);
}

/// A line through two points, without marks.
Series straight(const std::string& name, double x0, double y0, double x1, double y1) {
  return {name, {x0, x1}, {y0, y1}, svg::kGrey, Mark::none, Line::dashed};
}

/// The eigenvalues that are more than rounding errors, against their numbers.
Series eigenvalues(const std::string& name, const std::vector<double>& values, int colour, Line line) {
  Series series{name, {}, {}, colour, Mark::none, line};
  for (std::size_t k = 0; k < values.size() && values[k] > 1e-14 * values[0]; ++k) {
    series.x.push_back(static_cast<double>(k + 1));
    series.y.push_back(values[k]);
  }
  return series;
}

Series shares(const std::string& name, const std::vector<double>& values, int colour, Line line) {
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  Series series{name, {}, {}, colour, Mark::none, line};
  double sum = 0;
  for (std::size_t k = 0; k < values.size() && total > 0; ++k) {
    series.x.push_back(static_cast<double>(k + 1));
    series.y.push_back((sum += values[k]) / total);
  }
  return series;
}

/// Adds errors against the values that were tried, and marks the one that was chosen.
void add_path(Chart& chart, const std::vector<double>& tried, const std::vector<double>& errors, double taken) {
  Series path{"tried", {}, {}, 0, Mark::circle}, chosen{"chosen", {}, {}, 1, Mark::diamond, Line::none};
  for (std::size_t k = 0; k < tried.size(); ++k) {
    if (!std::isfinite(errors[k])) continue;
    for (Series* series : {&path, &chosen})
      if (series == &path || tried[k] == taken) {
        series->x.push_back(tried[k]);
        series->y.push_back(errors[k]);
      }
  }
  chart.series = {std::move(path), std::move(chosen)};
}

Chart alpha_chart(const ModelFit& result) {
  Chart chart{"penalty", {"alpha", true, {}, {}}, {"mean squared error over folds", true, {}, {}}, {}};
  add_path(chart, result.details->alphas, result.details->alpha_errors, result.model.facts.at("alpha"));
  return chart;
}

Chart C_chart(const ModelFit& result) {
  Chart chart{"penalty", {"C", true, {}, {}}, {"share of wrong classes, held out", false, {}, {}}, {}};
  chart.x.ticks = result.details->Cs;
  add_path(chart, result.details->Cs, result.details->C_errors, result.model.facts.at("C"));
  return chart;
}

Chart size_chart(const ModelFit& result) {
  const bool regression = result.model.preprocessing.task == Task::regression;
  Chart chart{"number of directions",
              {"random directions m", true, {}, {}},
              {regression ? "rmse on rows held out" : "share of wrong classes, held out", false, {}, {}},
              {}};
  Series tried{"tried", {}, {}, 0, Mark::circle}, chosen{"chosen", {}, {}, 1, Mark::diamond, Line::none};
  for (const auto& size : result.details->sizes) {
    chart.x.ticks.push_back(static_cast<double>(size.m));
    tried.x.push_back(static_cast<double>(size.m));
    tried.y.push_back(size.error);
  }
  chosen.x = {tried.x.back()};
  chosen.y = {tried.y.back()};
  chart.series = {std::move(tried), std::move(chosen)};
  return chart;
}

}  // namespace

std::string draw_confusion(const Matrix<double>& confusion, const std::vector<std::string>& classes) {
  const std::size_t count = classes.size();
  const double cell = std::min(600 / static_cast<double>(count), 72.0), side = cell * static_cast<double>(count);
  std::string out = fmt::format(
      "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "aria-label=\"Confusion matrix\"><title>Confusion matrix</title>",
      kWidth, kHead + side + 16);
  out += text(kLabels + side / 2, 16, "middle", "label", "predicted class");
  out += text(8, kHead - 8, "start", "label", "class of the row");
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = confusion.view().row(i);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0), y = kHead + cell * static_cast<double>(i);
    for (std::size_t j = 0; j < count; ++j) {
      const double x = kLabels + cell * static_cast<double>(j), share = sum > 0 ? row[j] / sum : 0;
      out += fmt::format(
          "<rect class=\"cell\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
          "fill=\"var(--{})\" fill-opacity=\"{:.3f}\" stroke=\"var(--line)\"/>",
          x, y, cell, cell, i == j ? "c0" : "c1", 0.55 * share);
      if (count <= kMostCounted)
        out += text(x + cell / 2, y + cell / 2 + 4, "middle", "count", fmt::format("{:.0f}", row[j]));
    }
    if (count > kMostNamed) continue;
    out += text(kLabels - 8, y + cell / 2 + 4, "end", "name", shortened(classes[i], kLabels - 30));
    out += text(kLabels + cell * (static_cast<double>(i) + 0.5), kHead - 8, "middle", "name",
                shortened(classes[i], cell - 6));
  }
  return out + "</svg>\n";
}

Picture residuals_of(const FitDetails& details) {
  Picture picture{"Predictions and residuals of rows held out", {}, 2};
  picture.chart_height = 380;
  Chart truth{"prediction", {"target", false, {}, {}}, {"prediction", false, {}, {}}, {}};
  Chart left{"residual", {"prediction", false, {}, {}}, {"target - prediction", false, {}, {}}, {}};
  const auto [low, high] = std::ranges::minmax(details.truths);
  const auto [least, most] = std::ranges::minmax(details.predictions);
  std::vector<double> residuals;
  for (std::size_t i = 0; i < details.truths.size(); ++i)
    residuals.push_back(details.truths[i] - details.predictions[i]);
  truth.series = {{"rows held out", details.truths, details.predictions, 0, Mark::dot, Line::none},
                  straight("without error", low, low, high, high)};
  left.series = {{"rows held out", details.predictions, std::move(residuals), 0, Mark::dot, Line::none},
                 straight("without error", least, 0, most, 0)};
  picture.charts = {std::move(truth), std::move(left)};
  return picture;
}

Picture errors_of(const ModelFit& result) {
  const bool penalty = !result.details->alphas.empty() || !result.details->Cs.empty();
  Picture picture{penalty ? "Error against the penalty and m" : "Error against m", {}, 2};
  if (!result.details->alphas.empty()) picture.charts.push_back(alpha_chart(result));
  if (!result.details->Cs.empty()) picture.charts.push_back(C_chart(result));
  if (!result.details->sizes.empty()) picture.charts.push_back(size_chart(result));
  return picture;
}

Picture components_of(const KernelPcaFit& components) {
  Picture picture{"Variance along components", {}, 2};
  Chart each{"each", {"component", false, {}, {}}, {"variance", false, {}, {}}, {}};
  Chart sums{"the first of them", {"how many", false, {}, {}}, {"share of all variance", false, {}, {{0.0, 1.04}}}, {}};
  Series variances{"components", {}, {}, 0, Mark::circle}, held = variances;
  double sum = 0;
  for (std::size_t k = 0; k < components.explained_variance.size(); ++k) {
    const double value = components.explained_variance[k];
    sum += value;
    variances.x.push_back(static_cast<double>(k + 1));
    variances.y.push_back(value);
    held.x.push_back(static_cast<double>(k + 1));
    held.y.push_back(components.total_variance > 0 ? sum / components.total_variance : 0);
  }
  each.series = {std::move(variances)};
  sums.series = {std::move(held)};
  picture.charts = {std::move(each), std::move(sums)};
  return picture;
}

Picture spectrum_of(const FitDetails& details) {
  Picture picture{"Spectrum of the kernel", {}, 2};
  Chart values{"eigenvalues", {"number", true, {}, {}}, {"eigenvalue / n", true, {}, {}}, {}};
  Chart sums{"sum of the largest", {"how many", true, {}, {}}, {"share of all", false, {}, {{0.0, 1.04}}}, {}};
  values.series = {eigenvalues("kernel", details.kernel_spectrum, 0, Line::solid)};
  sums.series = {shares("kernel", details.kernel_spectrum, 0, Line::solid)};
  if (!details.feature_spectrum.empty()) {
    values.series.push_back(eigenvalues("random features", details.feature_spectrum, 1, Line::dashed));
    sums.series.push_back(shares("random features", details.feature_spectrum, 1, Line::dashed));
  }
  picture.charts = {std::move(values), std::move(sums)};
  return picture;
}

}  // namespace bochner::cli
