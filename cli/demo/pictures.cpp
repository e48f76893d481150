// SPDX-License-Identifier: Apache-2.0
#include "demo/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "defaults.h"

namespace bochner::cli {
namespace {

using svg::Axis;
using svg::Chart;
using svg::Line;
using svg::Mark;
using svg::Picture;
using svg::Series;

constexpr Mark kMarks[] = {Mark::circle, Mark::square, Mark::triangle, Mark::diamond};
constexpr int kColours = 6;

/// The same name has the same colour and mark in all pictures: they follow from its place among the names in the study.
template <class Mechanisms, class Name>
int place_of(const Mechanisms& mechanisms, const Name& name_of, const std::string& name) {
  std::vector<std::string> seen;
  for (const auto& mechanism : mechanisms)
    if (std::find(seen.begin(), seen.end(), name_of(mechanism)) == seen.end()) seen.push_back(name_of(mechanism));
  return static_cast<int>(std::find(seen.begin(), seen.end(), name) - seen.begin());
}

const auto map_name = [](const auto& mechanism) { return mechanism.map; };
const auto coupling_name = [](const auto& mechanism) { return mechanism.coupling; };

/// Adds an error bar around the last point.
void add_bar(Series& series, double half) {
  series.low.push_back(series.y.back() - half);
  series.high.push_back(series.y.back() + half);
}

/// Adds, under one name, the closed form as a line and the measurements as marks with error bars of two standard
/// errors.
void add_mechanism(Chart& chart, const ErrorStudy::Mechanism& mechanism, const std::string& name, int place,
                   bool by_outputs) {
  Series line{name, {}, {}, place % kColours};
  Series marks{name, {}, {}, place % kColours, kMarks[place % 4], Line::none};
  for (const auto& point : mechanism.points) {
    const auto x = static_cast<double>(by_outputs ? point.outputs : point.m);
    line.x.push_back(x);
    line.y.push_back(point.error.predicted);
    marks.x.push_back(x);
    marks.y.push_back(point.error.measured);
    add_bar(marks, 2 * point.error.standard_error * point.error.predicted);
  }
  chart.series.push_back(std::move(line));
  chart.series.push_back(std::move(marks));
}

Axis m_axis(const std::string& label) { return {label, true, {4, 8, 16, 32, 64, 128, 256, 512, 1024}, {}}; }

Chart map_chart(const ErrorStudy& study, const std::string& kernel, const std::string& map) {
  Chart chart{map, m_axis("random directions m"), {"rms error", true, {}, {}}, {}};
  for (const auto& mechanism : study.mechanisms)
    if (mechanism.kernel == kernel && mechanism.map == map)
      add_mechanism(chart, mechanism, mechanism.coupling, place_of(study.mechanisms, coupling_name, mechanism.coupling),
                    false);
  return chart;
}

Chart best_chart(const ErrorStudy& study, const std::string& kernel) {
  Chart chart{kernel, m_axis("outputs, the length of a feature vector"), {"rms error", true, {}, {}}, {}};
  for (const std::string& map : maps_of(study, kernel)) {
    const ErrorStudy::Mechanism* best = nullptr;
    for (const auto& mechanism : study.mechanisms)
      if (mechanism.kernel == kernel && mechanism.map == map &&
          (!best || mechanism.points.back().error.predicted < best->points.back().error.predicted))
        best = &mechanism;
    add_mechanism(chart, *best, map, place_of(study.mechanisms, map_name, map), true);
  }
  return chart;
}

Axis distance_axis(const std::string& map) {
  return {grows_with_sum(map) ? "|x + y| in lengthscales" : "|x - y| in lengthscales", false, {}, {}};
}

void add_mechanism(Chart& chart, const DistanceStudy::Mechanism& mechanism, const std::string& name, int place) {
  Series marks{name, {}, {}, place % kColours, kMarks[place % 4], Line::none};
  for (const auto& point : mechanism.points) {
    marks.x.push_back(point.distance);
    marks.y.push_back(point.measured);
    add_bar(marks, 2 * point.standard_error);
  }
  if (mechanism.exactness != theory::Exactness::none) {
    const Line line = mechanism.exactness == theory::Exactness::exact ? Line::solid : Line::dashed;
    chart.series.push_back({name, mechanism.curve_x, mechanism.curve_y, place % kColours, Mark::none, line});
  }
  chart.series.push_back(std::move(marks));
}

}  // namespace

std::vector<std::string> kernels_of(const ErrorStudy& study) {
  std::vector<std::string> names;
  for (const auto& mechanism : study.mechanisms)
    if (names.empty() || names.back() != mechanism.kernel) names.push_back(mechanism.kernel);
  return names;
}

std::vector<std::string> maps_of(const ErrorStudy& study, const std::string& kernel) {
  std::vector<std::string> names;
  for (const auto& mechanism : study.mechanisms)
    if (mechanism.kernel == kernel && (names.empty() || names.back() != mechanism.map)) names.push_back(mechanism.map);
  return names;
}

Picture errors_by_map(const ErrorStudy& study, const std::string& kernel) {
  Picture picture{fmt::format("Error against m, {} kernel", kernel), {}, 2};
  picture.shared_y = true;
  for (const std::string& map : maps_of(study, kernel)) picture.charts.push_back(map_chart(study, kernel, map));
  return picture;
}

Picture errors_of_map(const ErrorStudy& study, const std::string& kernel, const std::string& map) {
  Picture picture{fmt::format("Error against m, {} kernel, {} map", kernel, map), {map_chart(study, kernel, map)}};
  picture.width = 640;
  return picture;
}

Picture errors_of_coupling(const ErrorStudy& study, const std::string& kernel, const std::string& coupling) {
  Chart chart{
      fmt::format("{}, {} kernel", coupling, kernel), m_axis("random directions m"), {"rms error", true, {}, {}}, {}};
  for (const auto& mechanism : study.mechanisms)
    if (mechanism.kernel == kernel && mechanism.coupling == coupling)
      add_mechanism(chart, mechanism, mechanism.map, place_of(study.mechanisms, map_name, mechanism.map), false);
  Picture picture{fmt::format("Error against m, {} kernel, {} coupling", kernel, coupling), {std::move(chart)}};
  picture.width = 640;
  return picture;
}

Picture errors_by_outputs(const ErrorStudy& study, const std::vector<std::string>& kernels) {
  Picture picture{"Error against the number of outputs", {}, 2};
  picture.chart_height = 340;
  for (const std::string& kernel : kernels) picture.charts.push_back(best_chart(study, kernel));
  return picture;
}

Picture errors_by_distance(const DistanceStudy& study) {
  Picture picture{fmt::format("Squared error relative to independent directions, d = m = {}", study.d), {}, 2};
  for (const auto& mechanism : study.mechanisms) {
    if (mechanism.exactness != theory::Exactness::exact) continue;
    if (picture.charts.empty() || picture.charts.back().title != mechanism.map)
      picture.charts.push_back(
          {mechanism.map, distance_axis(mechanism.map), {"squared error / that of iid", false, {}, {}}, {}});
    add_mechanism(picture.charts.back(), mechanism, mechanism.coupling,
                  place_of(study.mechanisms, coupling_name, mechanism.coupling));
  }
  return picture;
}

Picture distance_of_coupling(const DistanceStudy& study, const std::string& coupling) {
  Picture picture{fmt::format("Squared error of {} relative to independent directions", coupling), {}, 2};
  for (const bool sum : {false, true}) {
    Chart chart{sum ? "positive maps" : "trigonometric maps",
                distance_axis(sum ? kDistanceMaps[1] : kDistanceMaps[0]),
                {"squared error / that of iid", false, {}, {}},
                {}};
    for (const auto& mechanism : study.mechanisms)
      if (mechanism.coupling == coupling && grows_with_sum(mechanism.map) == sum)
        add_mechanism(chart, mechanism, mechanism.map, place_of(study.mechanisms, map_name, mechanism.map));
    picture.charts.push_back(std::move(chart));
  }
  return picture;
}

Picture ridge_fits(const RidgeStudy& study) {
  Picture picture{"Ridge on random features over the data and exact kernel ridge", {}, 3};
  picture.chart_height = 290;
  picture.shared_y = true;
  for (const auto& curve : study.curves) {
    if (curve.m != 4 && curve.m != 16 && curve.m != 64) continue;
    Chart chart{fmt::format("m = {}", curve.m), {"x", false, {}, {{-5.2, 5.2}}}, {"y", false, {}, {}}, {}};
    chart.series.push_back({"data", study.shown_x, study.shown_y, svg::kGrey, Mark::dot, Line::none});
    chart.series.push_back({"exact kernel ridge", study.grid, study.exact_curve, 0});
    chart.series.push_back({"ridge on random features", study.grid, curve.y, 1, Mark::none, Line::dashed});
    picture.charts.push_back(std::move(chart));
  }
  return picture;
}

Picture ridge_costs(const RidgeStudy& study) {
  Picture picture{"Error and seconds of ridge on random features", {}, 3};
  Chart error{"distance from the truth", m_axis("random directions m"), {"rms distance", true, {}, {}}, {}};
  Chart seconds{fmt::format("seconds, n = {}", study.n), m_axis("random directions m"), {"seconds", true, {}, {}}, {}};
  Chart sizes{
      fmt::format("seconds, m = {}", study.sizes_m), {"training rows n", true, {}, {}}, {"seconds", true, {}, {}}, {}};
  Series exact_error{"exact kernel ridge", {}, {}, 0},
      features_error{"ridge on random features", {}, {}, 1, Mark::square};
  Series exact_seconds = exact_error, features_seconds = features_error;
  for (const auto& row : study.rows) {
    for (Series* series : {&exact_error, &features_error, &exact_seconds, &features_seconds})
      series->x.push_back(static_cast<double>(row.m));
    exact_error.y.push_back(study.exact_error);
    features_error.y.push_back(row.error);
    features_error.low.push_back(row.lower_quartile);
    features_error.high.push_back(row.upper_quartile);
    exact_seconds.y.push_back(study.exact_seconds);
    features_seconds.y.push_back(row.seconds);
  }
  Series exact_sizes{"exact kernel ridge", {}, {}, 0, Mark::circle},
      features_sizes{"ridge on random features", {}, {}, 1, Mark::square};
  for (const auto& size : study.sizes) {
    features_sizes.x.push_back(static_cast<double>(size.n));
    features_sizes.y.push_back(size.features_seconds);
    if (!size.exact_seconds) continue;
    exact_sizes.x.push_back(static_cast<double>(size.n));
    exact_sizes.y.push_back(*size.exact_seconds);
  }
  error.series = {std::move(exact_error), std::move(features_error)};
  seconds.series = {std::move(exact_seconds), std::move(features_seconds)};
  sizes.series = {std::move(exact_sizes), std::move(features_sizes)};
  picture.charts = {std::move(error), std::move(seconds), std::move(sizes)};
  return picture;
}

}  // namespace bochner::cli
