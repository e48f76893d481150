// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "bochner/version.h"
#include "demo/report.h"

namespace bochner::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const GramStudy& study) {
  Json rows = Json::array();
  for (const auto& one : study.approximations)
    rows.push_back({{"m", one.m},
                    {"outputs", one.outputs},
                    {"measured", one.measured},
                    {"predicted", one.predicted},
                    {"largest", one.largest}});
  return {{"n", study.n},
          {"lengthscale", study.lengthscale},
          {"map", study.map},
          {"coupling", study.coupling},
          {"rows", std::move(rows)}};
}

Json to_json(const ErrorStudy& study) {
  Json mechanisms = Json::array();
  for (const auto& mechanism : study.mechanisms) {
    Json points = Json::array();
    for (const auto& point : mechanism.points)
      points.push_back({{"m", point.m},
                        {"outputs", point.outputs},
                        {"measured", point.error.measured},
                        {"predicted", point.error.predicted},
                        {"ratio", point.error.ratio},
                        {"standard_error", point.error.standard_error}});
    mechanisms.push_back({{"kernel", mechanism.kernel},
                          {"map", mechanism.map},
                          {"coupling", mechanism.coupling},
                          {"ratio", mechanism.ratio},
                          {"standard_error", mechanism.standard_error},
                          {"points", std::move(points)}});
  }
  return {{"d", study.d},
          {"pairs", study.pairs},
          {"draws", study.draws},
          {"lengthscale", study.lengthscale},
          {"mechanisms", std::move(mechanisms)}};
}

Json to_json(const DistanceStudy& study) {
  Json mechanisms = Json::array();
  for (const auto& mechanism : study.mechanisms) {
    Json points = Json::array();
    for (const auto& point : mechanism.points)
      points.push_back({{"distance", point.distance},
                        {"measured", point.measured},
                        {"standard_error", point.standard_error},
                        {"predicted", point.predicted}});
    mechanisms.push_back({{"map", mechanism.map}, {"coupling", mechanism.coupling}, {"points", std::move(points)}});
  }
  return {{"d", study.d}, {"m", study.m}, {"draws", study.draws}, {"mechanisms", std::move(mechanisms)}};
}

Json to_json(const RidgeStudy& study) {
  Json rows = Json::array();
  for (const auto& row : study.rows)
    rows.push_back({{"m", row.m},
                    {"outputs", row.outputs},
                    {"error", row.error},
                    {"lower_quartile", row.lower_quartile},
                    {"upper_quartile", row.upper_quartile},
                    {"seconds", row.seconds},
                    {"speedup", row.speedup}});
  Json sizes = Json::array();
  for (const auto& size : study.sizes)
    sizes.push_back({{"n", size.n},
                     {"features_seconds", size.features_seconds},
                     {"exact_seconds", size.exact_seconds ? Json(*size.exact_seconds) : Json()}});
  return {{"n", study.n},
          {"lengthscale", study.lengthscale},
          {"alpha", study.alpha},
          {"map", study.map},
          {"coupling", study.coupling},
          {"draws", study.draws},
          {"exact_error", study.exact_error},
          {"exact_seconds", study.exact_seconds},
          {"rows", std::move(rows)},
          {"sizes_m", study.sizes_m},
          {"sizes", std::move(sizes)}};
}

Json to_json(const ModelStudy& study) {
  return {{"fit", study.fit},
          {"evaluate", study.evaluate},
          {"predict", study.predict},
          {"notes", study.notes},
          {"rows", study.rows},
          {"holdout", {{"rows", study.holdout.rows}, {"rmse", study.holdout.rmse}, {"r2", study.holdout.r2}}},
          {"new", {{"rows", study.fresh.rows}, {"rmse", study.fresh.rmse}, {"r2", study.fresh.r2}}}};
}

}  // namespace

std::string demo_json(const DemoReport& report) {
  const Json json = {{"version", kVersion},
                     {"seed", report.seed},
                     {"threads", report.threads},
                     {"gram", to_json(report.gram)},
                     {"errors", to_json(report.errors)},
                     {"distance", to_json(report.distance)},
                     {"ridge", to_json(report.ridge)},
                     {"model", to_json(report.model)}};
  return json.dump(2) + "\n";
}

}  // namespace bochner::cli
