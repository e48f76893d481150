// SPDX-License-Identifier: Apache-2.0
#include "tasks/ridge_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/blas.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// Errors below this part of that of the largest alpha are rounding: targets are then reproduced, and the larger alpha
/// is safer. (The largest error will not do: without a penalty it has no bound.)
constexpr double kNoise = 1e-10;
/// Errors so near the least one, relative to it, are as good: their statistical error is far larger. Where alpha -> 0
/// the error becomes constant, and in the normal equation its last digits are rounding, 2^-52 largest / alpha = 2e-4 at
/// the end of the path (in the dual one they are not: see dual_ridge.cpp).
constexpr double kAsGood = 1e-3;
/// Of the largest eigenvalue, just below the end of the path of float rows: eigenvalues are rounding there, and an
/// alpha below it makes residuals from the Gram matrix vanish.
constexpr double kLeastSingle = 0.9e-7;

}  // namespace

Centre centre_of(const Gram& gram, bool intercept) {
  if (intercept && gram.weight() > 0) return {gram.feature_means(), gram.target_means(), 1 / gram.weight()};
  return {std::vector<double>(gram.outputs(), 0.0), std::vector<double>(gram.targets(), 0.0), 0};
}

PathProblem path_problem(const Gram& gram, const Centre& centre) {
  PathProblem problem{spectrum_of(gram.second_moments(centre.features)),
                      Matrix<double>(gram.targets(), gram.outputs())};
  const Matrix<double> cross = gram.cross_moments(centre.features, centre.targets);
  blas::gemm_nt<double>(1, cross, problem.spectrum.vectors, 0, problem.projected);
  problem.noise = rounding(squares_of(gram), gram.outputs(), gram.single());
  return problem;
}

double squares_of(const Gram& gram) {
  double sum = 0;
  for (std::size_t j = 0; j < gram.outputs(); ++j) sum += gram.gram()(j, j);
  return sum;
}

double rounding(double squares, std::size_t size, bool single) {
  constexpr std::size_t kRows = 1024;
  return squares * (single ? 0x1p-22 : static_cast<double>(size + kRows) * 0x1p-52);
}

void require_feature_squares(double squares, double weight, bool single) {
  // A product below the least normal number over epsilon has lost digits.
  const double least = single ? double{std::numeric_limits<float>::min()} / std::numeric_limits<float>::epsilon()
                              : std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  if (!std::isfinite(squares))
    throw std::runtime_error("ridge: the Gram matrix is not finite; scale the rows of X down or choose a bounded map");
  if (squares < least * weight)
    throw std::runtime_error(
        fmt::format("ridge: features vanish, the mean of their squares is {:.3g}; scale the rows of X down or choose a "
                    "bounded map",
                    squares / weight));
}

LinearModel model_with_intercept(Matrix<double> weights, const Centre& centre) {
  LinearModel model{std::move(weights), centre.targets};
  for (std::size_t t = 0; t < model.intercept.size(); ++t)
    model.intercept[t] -= simd::dot<double>(model.weights.view().row(t), centre.features);
  return model;
}

LinearModel model_at(const PathProblem& problem, const Centre& centre, double alpha) {
  const auto& values = problem.spectrum.values;
  Matrix<double> scaled(problem.projected.rows(), values.size()), weights(scaled.rows(), scaled.cols());
  for (std::size_t t = 0; t < scaled.rows(); ++t)
    for (std::size_t j = 0; j < values.size(); ++j)
      scaled(t, j) = alpha > 0 || values[j] > problem.noise ? problem.projected(t, j) / (values[j] + alpha) : 0.0;
  blas::gemm_nn<double>(1, scaled, problem.spectrum.vectors, 0, weights);
  return model_with_intercept(std::move(weights), centre);
}

std::vector<double> path_of(const KernelRidgeOptions& options, double largest, bool single) {
  std::vector<double> path = options.path;
  for (const double alpha : path)
    if (!(alpha > 0) || !std::isfinite(alpha)) refuse("path", fmt::format("{}", alpha), "finite numbers > 0");
  const double scale = largest > 0 ? largest : 1;
  for (int half = 2; options.path.empty() && half >= (single ? -14 : -24); --half)
    path.push_back(scale * std::pow(10.0, half / 2.0));
  std::sort(path.begin(), path.end(), std::greater<>());
  return path;
}

std::size_t best_of(std::span<const double> errors) {
  const auto finite = [](double error) { return std::isfinite(error); };
  const auto largest = std::find_if(errors.begin(), errors.end(), finite);
  if (largest == errors.end())
    throw std::runtime_error(
        "ridge: no error by which to choose alpha is finite; scale the rows of X, give larger alphas or one alpha");
  double least = *largest;
  for (const double error : errors) least = std::min(least, finite(error) ? error : least);
  const double enough = std::max((1 + kAsGood) * least, kNoise * *largest);
  const auto found = std::find_if(errors.begin(), errors.end(), [&](double error) { return error <= enough; });
  return static_cast<std::size_t>(found - errors.begin());
}

double generalised_error(double residual, double squares, double leverages, double intercept, double weight) {
  constexpr double kLeast = 1e-13;  // below it 1 - mean leverage is rounding
  const double others = 1 - intercept / weight, slack = others - leverages / weight;
  if (others <= kLeast) return squares / weight;
  return slack > kLeast ? residual / weight / (slack * slack) : std::numeric_limits<double>::infinity();
}

std::vector<double> generalised_errors(const Gram& gram, const PathProblem& problem, const Centre& centre,
                                       std::span<const double> path) {
  const auto squares = gram.target_moments(centre.targets);
  const auto& values = problem.spectrum.values;
  const double least = gram.single() ? kLeastSingle * problem.spectrum.largest() : 0.0;
  std::vector<double> errors;
  for (const double alpha : path) {
    double residual = alpha < least ? std::numeric_limits<double>::infinity() : 0.0, all = 0, leverages = 0;
    for (const double value : values) leverages += value / (value + alpha);
    for (std::size_t t = 0; t < gram.targets(); ++t) {
      double explained = 0;
      for (std::size_t j = 0; j < values.size(); ++j) {
        const double scaled = problem.projected(t, j) / (values[j] + alpha);
        explained += scaled * (2 * problem.projected(t, j) - values[j] * scaled);
      }
      // Less than no residual: eigenvalues as small as alpha are rounding.
      const double left = squares[t] - explained;
      residual += left < -kNoise * squares[t] ? std::numeric_limits<double>::infinity() : std::max(left, 0.0);
      all += squares[t];
    }
    errors.push_back(generalised_error(residual, all, leverages, centre.leverage > 0 ? 1 : 0, gram.weight()));
  }
  return errors;
}

namespace {

/// Sum of squared residuals on `test` of the fits to `train`, at each alpha.
std::vector<double> errors_elsewhere(const Gram& train, const Gram& test, bool intercept,
                                     std::span<const double> path) {
  const Centre centre = centre_of(train, intercept);
  const PathProblem problem = path_problem(train, centre);
  const auto& [vectors, values] = problem.spectrum;
  const std::size_t outputs = train.outputs(), targets = train.targets();
  Matrix<double> moments = test.second_moments(centre.features), half(outputs, outputs), turned(outputs, outputs);
  for (std::size_t i = 0; i < outputs; ++i)
    for (std::size_t j = 0; j < i; ++j) moments(j, i) = moments(i, j);
  multiply_nt(vectors, moments, half);
  multiply_nt(half, vectors, turned);
  Matrix<double> cross(targets, outputs), scaled(targets, outputs), image(targets, outputs);
  blas::gemm_nt<double>(1, test.cross_moments(centre.features, centre.targets), vectors, 0, cross);
  const auto squares = test.target_moments(centre.targets);
  std::vector<double> errors;
  for (const double alpha : path) {
    for (std::size_t t = 0; t < targets; ++t)
      for (std::size_t j = 0; j < outputs; ++j) scaled(t, j) = problem.projected(t, j) / (values[j] + alpha);
    blas::gemm_nt<double>(1, scaled, turned, 0, image);
    double error = 0;
    for (std::size_t t = 0; t < targets; ++t) {
      const auto row = scaled.view().row(t);
      error += std::max(
          squares[t] - 2 * simd::dot<double>(row, cross.view().row(t)) + simd::dot<double>(row, image.view().row(t)),
          0.0);
    }
    errors.push_back(error);
  }
  return errors;
}

}  // namespace

std::vector<double> fold_errors(const FoldGram& gram, bool intercept, std::span<const double> path) {
  std::vector<std::vector<double>> parts(gram.folds());
  // One fold at a time where its matrices are large.
  parallel_for(gram.folds(), gram.outputs() <= 1024 ? 1 : gram.folds(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k)
      parts[k] = errors_elsewhere(gram.all_but(k), gram.fold(k), intercept, path);
  });
  double weight = 0;
  std::vector<double> errors(path.size(), 0.0);
  for (std::size_t k = 0; k < gram.folds(); ++k) {
    weight += gram.fold(k).weight();
    for (std::size_t a = 0; a < path.size(); ++a) errors[a] += parts[k][a];
  }
  for (double& error : errors) error /= weight;
  return errors;
}

}  // namespace bochner
