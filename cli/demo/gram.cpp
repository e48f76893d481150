// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/theory.h"
#include "demo/data.h"
#include "demo/study.h"

namespace bochner::cli {
namespace {

constexpr std::size_t kPoints = 1000, kStride = 5, kPredictedPairs = 400;

/// The entries in every stride-th row and column.
Matrix<float> thumbnail(std::size_t n, std::size_t stride,
                        const std::function<double(std::size_t, std::size_t)>& entry) {
  Matrix<float> shown(n / stride, n / stride);
  for (std::size_t i = 0; i < shown.rows(); ++i)
    for (std::size_t j = 0; j < shown.cols(); ++j) shown(i, j) = static_cast<float>(entry(i * stride, j * stride));
  return shown;
}

double inner_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

/// Root of the mean closed-form error over random pairs; a pair of a row with itself
/// comes with probability 1 / n, as often as the diagonal has it.
double predicted_error(const Spec& spec, MatrixView<const double> X) {
  Generator generator(0);
  double sum = 0;
  for (std::size_t k = 0; k < kPredictedPairs; ++k)
    sum += theory::mse(spec, X.row(generator.below(X.rows())), X.row(generator.below(X.rows())));
  return std::sqrt(sum / static_cast<double>(kPredictedPairs));
}

GramStudy::Approximation approximate(const Spec& spec, MatrixView<const double> X, MatrixView<const double> exact) {
  const auto features = make_features(spec);
  Matrix<double> Z(X.rows(), features->outputs());
  features->transform(X, Z);
  GramStudy::Approximation result;
  result.m = spec.m;
  result.outputs = features->outputs();
  Matrix<double> gram(X.rows(), X.rows());
  double sum = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      gram(i, j) = gram(j, i) = inner_product(Z.view().row(i), Z.view().row(j));
      const double error = std::abs(gram(i, j) - exact(i, j));
      sum += (i == j ? 1 : 2) * error * error;
      result.largest = std::max(result.largest, error);
    }
  result.measured = std::sqrt(sum) / static_cast<double>(X.rows());
  result.predicted = predicted_error(spec, X);
  result.shown = thumbnail(X.rows(), kStride, [&](std::size_t i, std::size_t j) { return gram(i, j); });
  return result;
}

}  // namespace

GramStudy study_gram(std::uint64_t seed, const Progress& progress) {
  GramStudy study;
  study.n = kPoints;
  study.stride = kStride;
  study.points = s_curve(kPoints, seed);
  study.lengthscale = 0.7;
  Spec spec;
  spec.d = 3;
  spec.seed = seed;
  spec.lengthscale = {study.lengthscale};
  study.map = spec.map;
  study.coupling = spec.coupling;
  const MatrixView<const double> X = study.points;
  const auto exact = kernel_matrix<double>(X, X, spec.kernel, spec.lengthscale);
  study.shown = thumbnail(kPoints, kStride, [&](std::size_t i, std::size_t j) { return exact(i, j); });
  for (const std::size_t m : {4, 16, 64, 256, 1024}) {
    spec.m = m;
    study.approximations.push_back(approximate(spec, X, exact));
    progress(static_cast<double>(study.approximations.size()) / 5);
  }
  return study;
}

}  // namespace bochner::cli
