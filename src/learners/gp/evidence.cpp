// SPDX-License-Identifier: Apache-2.0
#include "learners/gp/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/blas.h"
#include "core/errors.h"
#include "learners/ridge/ridge_path.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

/// log10 of noise / signal over the largest eigenvalue: from all noise down to the least noise that the arithmetic can
/// resolve.
constexpr int kMost = 3, kLeast = -12, kLeastSingle = -7;
constexpr double kLeastNoise = 1e-10, kLeastNoiseSingle = 1e-6;
/// The largest signal found, times the mean of |phi|^2, over the mean square of the targets: three deviations of the
/// prior of f are then ten deviations of the targets.
constexpr double kMostSignal = 10;
constexpr int kBisections = 60;
/// Times the mean of a target: deviations up to this may be rounding of its sum of squares, a few 2^-52 of it.
constexpr double kRoundingOfSums = 0x1p-24;

/// The log likelihood as a function of a = noise / signal.
class Likelihood {
 public:
  Likelihood(const Modes& modes, const GaussianProcessOptions& options) : modes_(modes), options_(options) {
    const double part = modes.single ? kLeastNoiseSingle : kLeastNoise;
    const double square = modes.mean_square > 0 ? modes.mean_square : 1;
    least_ = part * square;
    double trace = 0;
    for (const double value : modes.values) trace += value;
    if (!options.signal_variance) most_ = kMostSignal * square * (trace > 0 ? modes.weight / trace : 1);
    for (std::size_t j = 0; j < modes.values.size(); ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < modes.coordinates.rows(); ++t)
        sum += modes.coordinates(t, j) * modes.coordinates(t, j);
      squares_.push_back(sum);
    }
  }

  struct Point {
    Variances variances;
    double slope;  ///< of the log likelihood along log a
  };

  /// A signal above its bound is set to the bound. If it is still too large at `a` with the least noise, or the given
  /// noise, the next larger `a` for which it is not is used.
  Point at(double a) const {
    if (most_ > 0) a = std::max(a, options_.noise_variance.value_or(least_) / most_);
    const double targets = static_cast<double>(modes_.coordinates.rows());
    double residual = modes_.rest, growth = 0, freedom = 0, determinant = 0;
    for (std::size_t j = 0; j < squares_.size(); ++j) {
      const double value = modes_.values[j], left = a / (value + a), share = value / (value + a);
      residual += squares_[j] * left;
      growth += squares_[j] * left * share;
      freedom += share;
      determinant += std::log1p(value / a);
    }
    const double count = targets * modes_.weight;
    double noise = count > 0 ? std::max(residual / count, least_) : least_;
    const bool bounded = most_ > 0 && noise > a * most_;
    if (bounded) noise = a * most_;
    if (options_.signal_variance) noise = a * *options_.signal_variance;
    if (options_.noise_variance) noise = *options_.noise_variance;
    Point point{{noise, noise / a, 0}, 0.5 * (targets * freedom - growth / noise)};
    // Noise moves with a if the signal is given or at its bound; if noise is the best one or constant, it does not
    // affect the slope.
    if ((options_.signal_variance || bounded) && !options_.noise_variance)
      point.slope -= 0.5 * (count - residual / noise);
    point.variances.log_likelihood =
        -0.5 * (count * std::log(2 * std::numbers::pi * noise) + targets * determinant + residual / noise);
    return point;
  }

 private:
  const Modes& modes_;
  const GaussianProcessOptions& options_;
  std::vector<double> squares_;
  double least_, most_ = 0;  ///< the least noise; the largest signal, 0 if it is given
};

double square_of(std::span<const double> numbers) {
  double sum = 0;
  for (const double number : numbers) sum += number * number;
  return sum;
}

/// The deviation of a target with the sum of squares `square` about its mean, or 1 if all of it may be rounding.
double scale_of(double square, double weight, double mean, double rounding) {
  const double deviation = std::sqrt(square / weight);
  return deviation > rounding * std::fabs(mean) ? deviation : 1.0;
}

}  // namespace

void require_options(const GaussianProcessOptions& options) {
  const auto require = [](const std::optional<double>& value, const char* name) {
    if (value && (!(*value > 0) || !std::isfinite(*value)))
      refuse(name, fmt::format("{}", *value), "a finite number > 0");
  };
  require(options.noise_variance, "noise_variance");
  require(options.signal_variance, "signal_variance");
}

Modes modes_of(const Gram& gram, bool normalise) {
  const std::size_t outputs = gram.outputs(), targets = gram.targets();
  require_memory(outputs, 4);  // the Gram matrix, its copy, workspace for eigenvectors
  const Centre origin{std::vector<double>(outputs, 0.0),
                      normalise ? gram.target_means() : std::vector<double>(targets, 0.0), 0};
  PathProblem problem = path_problem(gram, origin);
  Modes modes;
  modes.vectors = std::move(problem.spectrum.vectors);
  modes.values = std::move(problem.spectrum.values);
  modes.pull = std::move(problem.projected);
  modes.coordinates = Matrix<double>(targets, outputs);
  modes.means = origin.targets;
  modes.weight = gram.weight();
  modes.single = gram.single();
  modes.scales.assign(targets, 1.0);
  std::vector<double> squares = gram.target_moments(origin.targets);
  for (std::size_t t = 0; t < targets; ++t) {
    if (normalise) modes.scales[t] = scale_of(squares[t], gram.weight(), origin.targets[t], kRoundingOfSums);
    squares[t] /= modes.scales[t] * modes.scales[t];
    for (double& value : modes.pull.view().row(t)) value /= modes.scales[t];
    modes.mean_square += squares[t] / (gram.weight() * static_cast<double>(targets));
    double seen = 0;
    for (std::size_t j = 0; j < outputs; ++j) {
      const double value = modes.values[j];
      modes.coordinates(t, j) = value > modes.noise() ? modes.pull(t, j) / std::sqrt(value) : 0.0;
      seen += modes.coordinates(t, j) * modes.coordinates(t, j);
    }
    modes.rest += std::max(squares[t] - seen, 0.0);
  }
  return modes;
}

Modes dual_modes(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                 std::span<const double> weights, bool normalise) {
  const std::size_t n = X.rows(), targets = Y.cols();
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  Modes modes;
  modes.means.assign(targets, 0.0);
  for (std::size_t i = 0; i < n; ++i) modes.weight += weight(i);
  modes.scales.assign(targets, 1.0);
  for (std::size_t i = 0; normalise && i < n; ++i)
    for (std::size_t t = 0; t < targets; ++t) modes.means[t] += weight(i) / modes.weight * Y(i, t);
  for (std::size_t t = 0; normalise && t < targets; ++t) {
    std::size_t same = 0;
    while (same < n && Y(same, t) == Y(0, t)) ++same;
    if (same == n) modes.means[t] = Y(0, t);  // to its last bit
    double square = 0;
    for (std::size_t i = 0; i < n; ++i) square += weight(i) * (Y(i, t) - modes.means[t]) * (Y(i, t) - modes.means[t]);
    modes.scales[t] = scale_of(square, modes.weight, modes.means[t], 0);
  }
  modes.phi = Matrix<double>(n, features.outputs());
  features.transform(X, modes.phi);
  Matrix<double> y(targets, n), K(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    const double root = std::sqrt(weight(i));
    for (double& value : modes.phi.view().row(i)) value *= root;
    for (std::size_t t = 0; t < targets; ++t) y(t, i) = root * (Y(i, t) - modes.means[t]) / modes.scales[t];
  }
  multiply_nt(modes.phi, modes.phi, K);
  Spectrum spectrum = spectrum_of(std::move(K));
  modes.coordinates = Matrix<double>(targets, n);
  blas::gemm_nt<double>(1, y, spectrum.vectors, 0, modes.coordinates);
  modes.pull = Matrix<double>(targets, n);
  std::copy_n(modes.coordinates.data(), targets * n, modes.pull.data());
  modes.vectors = std::move(spectrum.vectors);
  modes.values = std::move(spectrum.values);
  const double sum = square_of({y.data(), targets * n});
  modes.mean_square = targets > 0 ? sum / (modes.weight * static_cast<double>(targets)) : 0.0;
  return modes;
}

Variances likeliest_variances(const Modes& modes, const GaussianProcessOptions& options) {
  const Likelihood likelihood(modes, options);
  if (options.noise_variance && options.signal_variance)
    return likelihood.at(*options.noise_variance / *options.signal_variance).variances;
  const double scale = modes.largest() > 0 ? modes.largest() : 1;
  std::vector<double> grid;
  for (int half = 2 * kMost; half >= 2 * (modes.single ? kLeastSingle : kLeast); --half)
    grid.push_back(scale * std::pow(10.0, half / 2.0));
  std::size_t best = 0;
  for (std::size_t i = 1; i < grid.size(); ++i)
    if (likelihood.at(grid[i]).variances.log_likelihood > likelihood.at(grid[best]).variances.log_likelihood) best = i;
  const Variances rough = likelihood.at(grid[best]).variances;
  // The root of the slope is exact to all digits; the maximum itself is flat.
  double low = grid[std::min(best + 1, grid.size() - 1)], high = grid[best == 0 ? 0 : best - 1];
  if (!(likelihood.at(low).slope > 0) || !(likelihood.at(high).slope < 0)) return rough;
  for (int step = 0; step < kBisections; ++step) {
    const double middle = std::sqrt(low * high);
    (likelihood.at(middle).slope > 0 ? low : high) = middle;
  }
  const Variances found = likelihood.at(std::sqrt(low * high)).variances;
  return found.log_likelihood >= rough.log_likelihood ? found : rough;
}

}  // namespace bochner
