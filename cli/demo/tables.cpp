// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "defaults.h"
#include "demo/report.h"

namespace bochner::cli {
namespace {

constexpr std::size_t kSmall = 16, kLarge = 256, kOutputs = 256;

std::string error_text(double value) { return fmt::format("{:.4f}", value); }
std::string whole(std::size_t value) { return fmt::format("{}", value); }
std::string seconds_text(double value) { return fmt::format("{:.5f}", value); }
std::string ratio_text(double ratio, double standard_error) {
  return fmt::format("{:.3f} +- {:.3f}", ratio, standard_error);
}

const ErrorStudy::Point* find_m(const ErrorStudy::Mechanism& mechanism, std::size_t m) {
  for (const auto& point : mechanism.points)
    if (point.m == m) return &point;
  return nullptr;
}

}  // namespace

ReportTable gram_table(const DemoReport& report) {
  const GramStudy& study = report.gram;
  ReportTable table{fmt::format("Gram matrix of {} points of the S-curve, gaussian kernel, {} map, {} coupling",
                                study.n, study.map, study.coupling),
                    {"m", "outputs", "rms error", "predicted", "largest error"},
                    {},
                    0};
  for (const auto& one : study.approximations)
    table.rows.push_back({whole(one.m), whole(one.outputs), error_text(one.measured), error_text(one.predicted),
                          error_text(one.largest)});
  return table;
}

ReportTable error_table(const DemoReport& report) {
  ReportTable table{fmt::format("Root mean square error of {} pairs over {} draws, and measured / predicted over all m",
                                report.errors.pairs, report.errors.draws),
                    {"kernel", "map", "coupling", fmt::format("m = {}", kSmall), "predicted",
                     fmt::format("m = {}", kLarge), "predicted", "measured / predicted"},
                    {},
                    3};
  for (const auto& mechanism : report.errors.mechanisms) {
    const Measurement& small = find_m(mechanism, kSmall)->error;
    const Measurement& large = find_m(mechanism, kLarge)->error;
    table.rows.push_back({mechanism.kernel, mechanism.map, mechanism.coupling, error_text(small.measured),
                          error_text(small.predicted), error_text(large.measured), error_text(large.predicted),
                          ratio_text(mechanism.ratio, mechanism.standard_error)});
  }
  return table;
}

ReportTable full_error_table(const DemoReport& report) {
  ReportTable table{"Every mechanism at every m",
                    {"kernel", "map", "coupling", "m", "outputs", "measured", "predicted", "measured / predicted"},
                    {},
                    3};
  for (const auto& mechanism : report.errors.mechanisms)
    for (const auto& point : mechanism.points)
      table.rows.push_back({mechanism.kernel, mechanism.map, mechanism.coupling, whole(point.m), whole(point.outputs),
                            error_text(point.error.measured), error_text(point.error.predicted),
                            ratio_text(point.error.ratio, point.error.standard_error)});
  return table;
}

ReportTable equal_outputs_table(const DemoReport& report) {
  struct Line {
    const ErrorStudy::Mechanism* mechanism;
    const ErrorStudy::Point* point;
  };
  std::vector<Line> lines;
  for (const auto& mechanism : report.errors.mechanisms)
    for (const auto& point : mechanism.points)
      if (point.outputs == kOutputs) lines.push_back({&mechanism, &point});
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    if (a.mechanism->kernel != b.mechanism->kernel) return a.mechanism->kernel < b.mechanism->kernel;
    return a.point->error.predicted < b.point->error.predicted;
  });
  ReportTable table{fmt::format("At equal length of the feature vector, {} outputs, best first", kOutputs),
                    {"kernel", "map", "coupling", "m", "measured", "predicted", "times the best"},
                    {},
                    3};
  double best = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& [mechanism, point] = lines[i];
    if (i == 0 || mechanism->kernel != lines[i - 1].mechanism->kernel) best = point->error.predicted;
    table.rows.push_back({mechanism->kernel, mechanism->map, mechanism->coupling, whole(point->m),
                          error_text(point->error.measured), error_text(point->error.predicted),
                          fmt::format("{:.2f}", point->error.predicted / best)});
  }
  return table;
}

ReportTable distance_table(const DemoReport& report) {
  const DistanceStudy& study = report.distance;
  ReportTable table{fmt::format("Squared error relative to iid, d = m = {}, {} draws", study.d, study.draws),
                    {"map", "coupling", "distance", "measured", "predicted"},
                    {},
                    3};
  for (const auto& mechanism : study.mechanisms)
    for (std::size_t k = 2; k < mechanism.points.size(); k += 3) {
      const auto& point = mechanism.points[k];
      table.rows.push_back(
          {mechanism.map, mechanism.coupling,
           fmt::format("{} = {:.2f}", grows_with_sum(mechanism.map) ? "|x+y|" : "|x-y|", point.distance),
           ratio_text(point.measured, point.standard_error), fmt::format("{:.3f}", point.predicted)});
    }
  return table;
}

ReportTable ridge_table(const DemoReport& report) {
  const RidgeStudy& study = report.ridge;
  ReportTable table{fmt::format("Ridge on random features against exact kernel ridge, n = {}", study.n),
                    {"method", "m", "outputs", "distance from truth", "quartiles", "seconds", "times faster"},
                    {},
                    1};
  for (const auto& row : study.rows)
    table.rows.push_back({"random features", whole(row.m), whole(row.outputs), error_text(row.error),
                          fmt::format("{:.4f} .. {:.4f}", row.lower_quartile, row.upper_quartile),
                          seconds_text(row.seconds), fmt::format("{:.1f}", row.speedup)});
  table.rows.push_back({"exact kernel ridge", "", whole(study.n), error_text(study.exact_error), "",
                        seconds_text(study.exact_seconds), "1.0"});
  return table;
}

ReportTable sizes_table(const DemoReport& report) {
  ReportTable table{fmt::format("Seconds to fit and predict, m = {}", report.ridge.sizes_m),
                    {"training rows n", "exact", "random features", "times faster"},
                    {},
                    0};
  for (const auto& size : report.ridge.sizes)
    table.rows.push_back(
        {whole(size.n), size.exact_seconds ? seconds_text(*size.exact_seconds) : "not run",
         seconds_text(size.features_seconds),
         size.exact_seconds ? fmt::format("{:.1f}", *size.exact_seconds / size.features_seconds) : ""});
  return table;
}

ReportTable model_table(const DemoReport& report) {
  const ModelStudy& study = report.model;
  const auto found = [](const Metrics& metrics) {
    return fmt::format("rmse {:.4f} and R2 {:.4f} on {} rows it has not seen", metrics.rmse, metrics.r2, metrics.rows);
  };
  return {"From a file to predictions: commands to type, and what they find",
          {"command", "result"},
          {{study.fit, found(study.holdout)},
           {study.evaluate, found(study.fresh)},
           {study.predict, fmt::format("{} predictions, one a line", study.shown.predictions.size())}},
          2};
}

}  // namespace bochner::cli
