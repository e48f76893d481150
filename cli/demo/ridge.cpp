// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/kernel_ridge.h"
#include "defaults.h"
#include "demo/data.h"
#include "demo/study.h"

namespace bochner::cli {
namespace {

constexpr std::size_t kRows = 2000, kTests = 400, kDraws = 21, kShown = 400, kSizesDirections = 128;
constexpr std::size_t kLargestExact = 4000;  ///< 4000^2 doubles are 128 MB, about a second on one core
constexpr double kLengthscale = 0.4;

double median_seconds(std::size_t repeats, const std::function<void()>& call) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    call();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(repeats / 2), seconds.end());
  return seconds[repeats / 2];
}

/// The fit and the predictions of one method, which are timed together.
std::vector<double> by_features(const Spec& spec, const Regression& data, const Matrix<double>& test, double alpha) {
  const auto features = make_features(spec);
  const MatrixView<const double> y(data.y.data(), data.y.size(), 1);
  const auto fit = fit_kernel_ridge(*features, data.X, y, {}, {.alpha = alpha, .intercept = false});
  const Matrix<double> result = predict(*features, fit.model, test);
  return {result.data(), result.data() + result.rows()};
}

std::vector<double> by_kernel(const Spec& spec, const Regression& data, const Matrix<double>& test, double alpha) {
  const ExactRidgeFit fit = fit_exact_ridge(spec.kernel, spec.lengthscale, data.X, data.y, alpha);
  const auto K = kernel_matrix<double>(test, data.X, spec.kernel, spec.lengthscale);
  std::vector<double> y(test.rows(), 0.0);
  for (std::size_t i = 0; i < K.rows(); ++i)
    for (std::size_t j = 0; j < K.cols(); ++j) y[i] += K(i, j) * fit.dual[j];
  return y;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

Spec spec_of(const RidgeStudy& study, std::size_t m, std::uint64_t seed) {
  return {1, Spec{}.kernel, study.map, study.coupling, m, seed, {study.lengthscale}};
}

Matrix<double> column(const std::vector<double>& values) {
  Matrix<double> X(values.size(), 1);
  std::copy(values.begin(), values.end(), X.data());
  return X;
}

void fit_exactly(RidgeStudy& study, const Regression& data, std::uint64_t seed) {
  const auto test = column(study.grid);
  study.exact_seconds =
      median_seconds(3, [&] { study.exact_curve = by_kernel(spec_of(study, 1, seed), data, test, study.alpha); });
  study.exact_error = distance(study.exact_curve, study.truth);
}

RidgeStudy::Row fit_features(RidgeStudy& study, const Regression& data, std::size_t m, std::uint64_t seed) {
  const auto test = column(study.grid);
  RidgeStudy::Row row;
  row.m = m;
  std::vector<double> errors;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    const auto y = by_features(spec_of(study, m, seed * kDraws + draw), data, test, study.alpha);
    errors.push_back(distance(y, study.truth));
    if (draw == 0) study.curves.push_back({m, y});
  }
  std::sort(errors.begin(), errors.end());
  row.error = errors[kDraws / 2];
  row.lower_quartile = errors[kDraws / 4];
  row.upper_quartile = errors[kDraws * 3 / 4];
  row.outputs = make_features(spec_of(study, m, seed))->outputs();
  row.seconds = median_seconds(7, [&] { by_features(spec_of(study, m, seed), data, test, study.alpha); });
  row.speedup = study.exact_seconds / row.seconds;
  return row;
}

RidgeStudy::Size time_size(const RidgeStudy& study, std::size_t n, std::uint64_t seed) {
  const auto test = column(study.grid);
  const Regression data = regression(n, seed + n);
  const Spec spec = spec_of(study, study.sizes_m, seed);
  RidgeStudy::Size size;
  size.n = n;
  size.features_seconds = median_seconds(3, [&] { by_features(spec, data, test, study.alpha); });
  if (n <= kLargestExact) size.exact_seconds = median_seconds(1, [&] { by_kernel(spec, data, test, study.alpha); });
  return size;
}

}  // namespace

RidgeStudy study_ridge(std::uint64_t seed, const Progress& progress) {
  RidgeStudy study;
  const Regression data = regression(kRows, seed);
  study.n = kRows;
  study.tests = kTests;
  study.draws = kDraws;
  study.lengthscale = kLengthscale;
  study.alpha = kNoise * kNoise;  // the ridge penalty of a Gaussian process with this noise
  study.map = Spec{}.map;
  study.coupling = kIndependentCoupling;  // in one dimension there is nothing to couple
  study.shown_x.assign(data.X.data(), data.X.data() + kShown);
  study.shown_y.assign(data.y.begin(), data.y.begin() + kShown);
  for (std::size_t i = 0; i < kTests; ++i) {
    study.grid.push_back(-5 + 10 * static_cast<double>(i) / (kTests - 1));
    study.truth.push_back(regression_truth(study.grid.back()));
  }
  fit_exactly(study, data, seed);
  progress(0.2);
  for (const std::size_t m : {4, 8, 16, 32, 64, 128, 256}) {
    study.rows.push_back(fit_features(study, data, m, seed));
    progress(0.2 + 0.06 * static_cast<double>(study.rows.size()));
  }
  study.sizes_m = kSizesDirections;
  for (const std::size_t n : {500, 1000, 2000, 4000, 8000, 16000, 32000}) {
    study.sizes.push_back(time_size(study, n, seed));
    progress(0.62 + 0.05 * static_cast<double>(study.sizes.size()));
  }
  return study;
}

}  // namespace bochner::cli
