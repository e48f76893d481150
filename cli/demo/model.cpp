// SPDX-License-Identifier: Apache-2.0
#include "bochner/model.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "demo/data.h"
#include "demo/study.h"
#include "make_folder.h"
#include "model_option.h"

namespace bochner::cli {
namespace {

constexpr std::size_t kRows = 2000, kNewRows = 300, kDirections = 128;
constexpr double kPlaceNoise = 0.1;

/// t of a point (sin t, ., sgn(t) (cos t - 1)) of the S-curve, |t| <= 3 pi / 2.
double place_of(std::span<const double> point) {
  const bool ahead = point[2] <= 0;
  const double t = std::atan2(ahead ? point[0] : -point[0], 1 - std::fabs(point[2]));
  const double size = t < 0 ? t + 2 * std::numbers::pi : t;
  return ahead ? size : -size;
}

/// Points of the S-curve, a word for the half that they are in, and their place along it with some noise.
std::string table_of(std::size_t n, std::uint64_t seed) {
  const Matrix<double> X = s_curve(n, seed);
  Generator generator(seed + 1);
  std::string text = "x,y,z,half,place\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double place = place_of(X.view().row(i));
    text += fmt::format("{:.6f},{:.6f},{:.6f},{},{:.6f}\n", X(i, 0), X(i, 1), X(i, 2), X(i, 1) < 0 ? "left" : "right",
                        place + kPlaceNoise * generator.normal());
  }
  return text;
}

void predict_new(ModelStudy& study, const ModelPredictor& predictor, RowSource& rows) {
  PreparedRows prepared(predictor.model().preprocessing, rows, true);
  prepared.rewind();
  Matrix<double> X(kNewRows, predictor.model().preprocessing.d());
  study.shown.truths.resize(kNewRows);
  const std::size_t count = prepared.next(X, study.shown.truths);
  study.shown.truths.resize(count);
  study.shown.predictions = predictor.predict(X.view().row_range(0, count));
}

}  // namespace

ModelStudy study_model(const std::filesystem::path& parent, std::uint64_t seed, const Progress& progress) {
  const std::filesystem::path folder = parent / "model";
  make_folder(folder);
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const std::string rows_file = file("rows.csv"), new_file = file("new.csv"), model_file = file("place.safetensors");
  write_bytes(rows_file, table_of(kRows, seed));
  write_bytes(new_file, table_of(kNewRows, seed + 2));
  ModelStudy study;
  study.fit = fmt::format("bochner fit {} --target place --model {} --m {}", rows_file, model_file, kDirections);
  study.evaluate = fmt::format("bochner evaluate {} {}", model_file, new_file);
  study.predict = fmt::format("bochner predict {} {}", model_file, new_file);
  ModelRequest request;
  request.preprocessing.target = "place";
  request.preprocessing.holdout = 0.1;
  request.spec.m = kDirections;
  const auto rows = open_rows(rows_file, {.words = true});
  ModelFit fitted = fit_model(*rows, request, [&](double share, std::string_view) { progress(share / 2); });
  save_model(model_file, fitted.model);
  study.notes = std::move(fitted.notes);
  study.holdout = std::move(fitted.holdout);
  const ModelPredictor predictor(load_model(model_file));
  const auto fresh = open_rows(new_file, read_options(predictor.model().preprocessing));
  study.fresh = bochner::evaluate(predictor, *fresh);
  predict_new(study, predictor, *fresh);
  study.rows = kRows;
  progress(1);
  return study;
}

}  // namespace bochner::cli
