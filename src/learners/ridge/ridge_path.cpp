// SPDX-License-Identifier: Apache-2.0
#include "learners/ridge/ridge_path.h"

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

/// Errors below this fraction of the error at the largest alpha are rounding: targets are then reproduced, and the
/// larger alpha is safer. (The largest error cannot be used: without a penalty it has no bound.)
constexpr double kNoise = 1e-10;
/// Errors within this fraction of the least one are as good: their statistical error is far larger. As alpha -> 0 the
/// error becomes constant, and in the normal equation its last digits are rounding, 2^-52 largest / alpha = 2e-4 at the
/// end of the path (not so in the dual equation: see dual_ridge.cpp).
constexpr double kAsGood = 1e-3;
/// The end of the path relative to the largest eigenvalue; just below the last half decade.
constexpr double kLeast = 0.9e-12, kLeastSingle = 0.9e-7;

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
  problem.least = least_penalty(squares_of(gram), gram.single());
  problem.entry = entry_rounding(squares_of(gram), gram.outputs(), gram.single());
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

double entry_rounding(double squares, std::size_t size, bool single) {
  return 4 * squares / static_cast<double>(size) * (single ? 0x1p-24 : 0x1p-53);
}

double least_penalty(double squares, bool single) {
  return std::max(squares * (single ? 0x1p-26 : 0x1p-50), std::numeric_limits<double>::min());
}

double least_alpha(double squares, bool single, double largest) {
  return std::max((single ? kLeastSingle : kLeast) * largest, least_penalty(squares, single));
}

void require_feature_squares(double squares, double weight, bool single) {
  // Products below the least normal number / epsilon have lost digits.
  const double least = single ? double{std::numeric_limits<float>::min()} / std::numeric_limits<float>::epsilon()
                              : std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
  if (!std::isfinite(squares)) refuse_large_products();
  if (squares < least * weight)
    throw std::invalid_argument(fmt::format(
        "X has rows whose features vanish, the mean of their squares being {:.3g}; expected rows of another "
        "size beside the lengthscale, or a bounded map",
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
      scaled(t, j) =
          alpha >= problem.least || values[j] > problem.noise ? problem.projected(t, j) / (values[j] + alpha) : 0.0;
  blas::gemm_nn<double>(1, scaled, problem.spectrum.vectors, 0, weights);
  return model_with_intercept(std::move(weights), centre);
}

std::vector<double> path_of(const KernelRidgeOptions& options, double largest, double least) {
  std::vector<double> path = options.path;
  for (const double alpha : path)
    if (!(alpha > 0) || !std::isfinite(alpha)) refuse("path", fmt::format("{}", alpha), "finite numbers > 0");
  const double scale = std::max(largest, least);
  for (int half = 2; options.path.empty() && scale * std::pow(10.0, half / 2.0) >= least; --half)
    path.push_back(scale * std::pow(10.0, half / 2.0));
  std::sort(path.begin(), path.end(), std::greater<>());
  return path;
}

double trusted(double residual, double rounding, double squares) {
  if (residual < -kNoise * squares || (rounding > kNoise * squares && residual < rounding))
    return std::numeric_limits<double>::infinity();
  return std::max(residual, 0.0);
}

std::size_t best_of(std::span<const double> errors) {
  const auto finite = [](double error) { return std::isfinite(error); };
  const auto largest = std::find_if(errors.begin(), errors.end(), finite);
  if (largest == errors.end())
    throw std::invalid_argument(
        "X has rows at which no error is finite by which alpha could be chosen; expected rows of another size beside "
        "the lengthscale, or one alpha > 0");
  double least = *largest;
  for (const double error : errors) least = std::min(least, finite(error) ? error : least);
  const double enough = std::max((1 + kAsGood) * least, kNoise * *largest);
  const auto found = std::find_if(errors.begin(), errors.end(), [&](double error) { return error <= enough; });
  return static_cast<std::size_t>(found - errors.begin());
}

void choose_alpha(KernelRidgeFit& fit, const KernelRidgeOptions& options, double least, bool single) {
  for (std::size_t a = 0; a < fit.path.size(); ++a)
    if (fit.path[a] < least) fit.errors[a] = std::numeric_limits<double>::infinity();
  const auto finite = [](double error) { return std::isfinite(error); };
  if (!options.path.empty() && std::ranges::none_of(fit.errors, finite))
    refuse("path", fmt::format("{:.3g} at most", fit.path.front()),
           fmt::format("an alpha of at least {:.3g}: with smaller ones rounding decides the error", least));
  const std::size_t best = best_of(fit.errors);
  fit.alpha = fit.path[best];
  const auto first = std::ranges::find_if(fit.errors, finite);
  const bool last = std::none_of(fit.errors.begin() + static_cast<std::ptrdiff_t>(best) + 1, fit.errors.end(), finite);
  const bool given = best + 1 == fit.path.size() && !options.path.empty();  // the end is the caller's own
  if (!last || given || fit.errors[best] <= kNoise * *first) return;
  fit.notes.push_back(fmt::format(
      "alpha {:.3g} has the least error and is the least that {} can tell: the targets have hardly any noise beside "
      "what the features cannot express, so a shorter lengthscale or more components{} may have less",
      fit.alpha, single ? "float32" : "float64", single ? " or float64 rows" : ""));
}

double generalised_error(double residual, double squares, double leverages, double intercept, double weight,
                         double observations) {
  constexpr double kLeastSlack = 1e-13;  // below this, 1 - mean leverage is rounding
  const double others = 1 - intercept / observations, slack = others - leverages / observations;
  if (others <= kLeastSlack) return squares / weight;
  return slack > kLeastSlack ? residual / weight / (slack * slack) : std::numeric_limits<double>::infinity();
}

std::vector<double> generalised_errors(const Gram& gram, double observations, const PathProblem& problem,
                                       const Centre& centre, std::span<const double> path) {
  const auto squares = gram.target_moments(centre.targets);
  const auto& values = problem.spectrum.values;
  std::vector<double> errors;
  for (const double alpha : path) {
    double residual = 0, all = 0, leverages = 0;
    for (const double value : values) leverages += value / (value + alpha);
    for (std::size_t t = 0; t < gram.targets(); ++t) {
      double explained = 0, norm = 0;
      for (std::size_t j = 0; j < values.size(); ++j) {
        const double scaled = problem.projected(t, j) / (values[j] + alpha);
        explained += scaled * (2 * problem.projected(t, j) - values[j] * scaled);
        norm += scaled * scaled;
      }
      residual += trusted(squares[t] - explained, problem.entry * norm, squares[t]);
      all += squares[t];
    }
    errors.push_back(
        generalised_error(residual, all, leverages, centre.leverage > 0 ? 1 : 0, gram.weight(), observations));
  }
  return errors;
}

namespace {

/// The sum of squared residuals on `test` of the fits to `train`, at each alpha.
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
  const double entry = entry_rounding(squares_of(test), outputs, test.single());
  std::vector<double> errors;
  for (const double alpha : path) {
    for (std::size_t t = 0; t < targets; ++t)
      for (std::size_t j = 0; j < outputs; ++j) scaled(t, j) = problem.projected(t, j) / (values[j] + alpha);
    blas::gemm_nt<double>(1, scaled, turned, 0, image);
    double error = 0;
    for (std::size_t t = 0; t < targets; ++t) {
      const auto row = scaled.view().row(t);
      error += trusted(
          squares[t] - 2 * simd::dot<double>(row, cross.view().row(t)) + simd::dot<double>(row, image.view().row(t)),
          entry * simd::dot<double>(row, row), squares[t]);
    }
    errors.push_back(error);
  }
  return errors;
}

}  // namespace

std::vector<double> fold_errors(const FoldGram& gram, bool intercept, std::span<const double> path) {
  std::vector<std::vector<double>> parts(gram.folds());
  // One fold at a time if its matrices are large.
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
