// SPDX-License-Identifier: Apache-2.0
#include "bochner/gaussian_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bochner/kernel_matrix.h"
#include "core/blas.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "core/stream.h"
#include "features/scratch.h"
#include "learners/gp/evidence.h"
#include "learners/kernel_parameters.h"
#include "learners/statistics/training_data.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// Rows whose features one thread holds at once.
constexpr std::size_t kRows = 32;
/// The largest fraction of the prior by which rounding may push a variance of 0 below 0.
constexpr double kRounding = 1e-6;
/// Fraction of the largest eigenvalue: directions of smaller eigenvalues are not orthogonal by themselves.
constexpr double kSmallValue = 1e-8;

/// v_j = phi' u_j / sqrt(lambda_j) has an error of about eps lambda_max / sqrt(lambda_i lambda_j) along v_i. This error
/// is subtracted twice, since after the first time as much is left of a v_j that was nothing but error. 8 rank outputs
/// flops for each v_j.
void orthonormalise(MatrixView<double> directions, std::span<const double> values) {
  for (std::size_t j = directions.rows(); j-- > 0;) {
    if (values[j] > kSmallValue * values.back()) continue;
    const auto own = directions.row_range(j, j + 1), above = directions.row_range(j + 1, directions.rows());
    Matrix<double> along(1, above.rows());
    for (int pass = 0; pass < 2; ++pass) {
      blas::gemm_nt<double>(1, own, above, 0, along);
      blas::gemm_nn<double>(-1, along, above, 1, own);
      const double norm = std::sqrt(simd::dot<double>(own.row(0), own.row(0)));
      for (double& value : own.row(0)) value /= norm > 0 ? norm : 1;
    }
  }
}

/// v_j = phi' u_j / sqrt(lambda_j) for the modes that are more than rounding.
void turn_to_outputs(Modes& modes) {
  const std::size_t n = modes.values.size(), outputs = modes.phi.cols();
  const auto above = std::upper_bound(modes.values.begin(), modes.values.end(), modes.noise());
  const auto first = static_cast<std::size_t>(above - modes.values.begin()), rank = n - first;
  Matrix<double> directions(rank, outputs);
  parallel_for(rank, kRows, [&](std::size_t from, std::size_t to) {
    blas::gemm_nn<double>(1, modes.vectors.view().row_range(first + from, first + to), modes.phi, 0,
                          directions.view().row_range(from, to));
    for (std::size_t j = from; j < to; ++j)
      for (double& value : directions.view().row(j)) value /= std::sqrt(modes.values[first + j]);
  });
  modes.vectors = std::move(directions);
  modes.values.erase(modes.values.begin(), above);
  orthonormalise(modes.vectors, modes.values);
}

/// The mean of the weights in units of the targets.
Matrix<double> mean_weights(const Modes& modes, double a) {
  const std::size_t targets = modes.pull.rows();
  Matrix<double> scaled(targets, modes.values.size()), sums(targets, modes.vectors.cols());
  for (std::size_t t = 0; t < targets; ++t)
    for (std::size_t j = 0; j < modes.values.size(); ++j) scaled(t, j) = modes.pull(t, j) / (modes.values[j] + a);
  blas::gemm_nn<double>(1, scaled, modes.vectors, 0, sums);
  Matrix<double> weights = std::move(sums);
  if (modes.phi.rows() > 0) {
    const Matrix<double> along = std::move(weights);
    weights = Matrix<double>(targets, modes.phi.cols());
    blas::gemm_nn<double>(1, along, modes.phi, 0, weights);
  }
  for (std::size_t t = 0; t < targets; ++t)
    for (double& weight : weights.view().row(t)) weight *= modes.scales[t];
  return weights;
}

void require_finite_fit(const GaussianProcessFit& fit) {
  bool finite = std::isfinite(fit.noise_variance) && std::isfinite(fit.signal_variance);
  finite = finite && std::isfinite(fit.log_marginal_likelihood);
  const MatrixView<const double> weights = fit.mean.weights;
  for (std::size_t t = 0; t < weights.rows(); ++t)
    for (const double weight : weights.row(t)) finite = finite && std::isfinite(weight);
  if (!finite)
    throw std::invalid_argument(
        "X has rows whose features are so large or small that a variance of the process is beyond the range of double; "
        "expected rows of another size beside the lengthscale, or a bounded map");
}

GaussianProcessFit finish(Modes modes, const GaussianProcessOptions& options) {
  const Variances variances = likeliest_variances(modes, options);
  const double a = variances.noise / variances.signal;
  GaussianProcessFit fit;
  fit.noise_variance = variances.noise;
  fit.signal_variance = variances.signal;
  fit.log_marginal_likelihood = variances.log_likelihood;
  fit.mean = {mean_weights(modes, a), modes.means};
  if (modes.phi.rows() > 0) turn_to_outputs(modes);
  for (const double value : modes.values) fit.shrinkage.push_back(a / (value + a));
  fit.directions = std::move(modes.vectors);
  fit.y_scale = std::move(modes.scales);
  require_finite_fit(fit);
  return fit;
}

template <class T>
GaussianProcessFit fit_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                            std::span<const double> weights, const GaussianProcessOptions& options) {
  require_options(options);
  require_symmetric(features);
  require_rows<T>(features, X);
  require_targets(Y, X.rows(), Y.cols());
  require_weights(weights, X.rows());
  require_some_row(X.rows(), X.cols(), weights);
  const std::vector<std::size_t> seen = seen_rows(X.rows(), weights);
  if (seen.size() < features.outputs()) {
    const ChosenRows rows = choose_rows<T>(X, Y, weights, seen);
    return finish(dual_modes(features, rows.X, rows.Y, rows.weights, options.normalise), options);
  }
  Gram gram(features.outputs(), Y.cols());
  gram.add(features, X, Y, weights);
  return fit_gaussian_process(gram, options);
}

void require_fit(const Features& features, const GaussianProcessFit& fit) {
  if (fit.directions.cols() != features.outputs())
    refuse("fit", fmt::format("one of {} outputs", fit.directions.cols()),
           fmt::format("{}, those of the features", features.outputs()));
}

/// k(x, x) of a few rows: the diagonal of their Gram matrix.
template <class T>
std::vector<double> exact_prior(const Features& features, MatrixView<const T> X) {
  const Spec& spec = features.spec();
  const Matrix<T> K = kernel_matrix<T>(X, X, spec.kernel, spec.lengthscale, kernel_parameters(spec));
  std::vector<double> prior(X.rows());
  for (std::size_t i = 0; i < X.rows(); ++i) prior[i] = static_cast<double>(K(i, i));
  return prior;
}

/// The variances at the rows of Z, in units of the signal. If the directions span all outputs, nothing is subtracted;
/// otherwise they are |z|^2 - sum_j (1 - shrinkage_j) (v_j . z)^2 >= 0 for orthonormal v, except for rounding.
void variances_of(const GaussianProcessFit& fit, MatrixView<const double> Z, std::span<double> variances) {
  const bool whole = fit.directions.rows() == fit.directions.cols();
  for (std::size_t i = 0; i < Z.rows(); ++i) variances[i] = whole ? 0.0 : simd::dot<double>(Z.row(i), Z.row(i));
  for (std::size_t j = 0; j < fit.directions.rows(); ++j) {
    const double factor = whole ? fit.shrinkage[j] : fit.shrinkage[j] - 1;
    for (std::size_t i = 0; i < Z.rows(); ++i) {
      const double along = simd::dot<double>(fit.directions.view().row(j), Z.row(i));
      variances[i] += factor * along * along;
    }
  }
  for (std::size_t i = 0; i < Z.rows(); ++i)
    if (const double prior = whole ? 0.0 : simd::dot<double>(Z.row(i), Z.row(i)); variances[i] < -kRounding * prior)
      throw std::runtime_error(
          fmt::format("the variance at a row is {} of its prior; expected >= 0: the directions of "
                      "the fit are not orthonormal",
                      variances[i] / prior));
}

template <class T>
PredictiveVariance variance_rows(const Features& features, const GaussianProcessFit& fit, MatrixView<const T> X,
                                 PriorVariance prior) {
  require_fit(features, fit);
  require_rows<T>(features, X);
  PredictiveVariance result;
  std::vector<double> known(X.rows());
  parallel_for(X.rows(), kRows, [&](std::size_t first, std::size_t last) {
    const std::size_t n = last - first, outputs = features.outputs();
    Scratch<T> memory(n * outputs);
    Scratch<double> wide(n * outputs);
    const MatrixView<T> own(memory.data(), n, outputs);
    const MatrixView<double> Z(wide.data(), n, outputs);
    features.transform(X.row_range(first, last), own);
    std::copy_n(own.data(), n * outputs, Z.data());
    const std::span<double> values(known.data() + first, n);
    variances_of(fit, Z, values);
    if (prior == PriorVariance::exact) {
      const std::vector<double> exact = exact_prior<T>(features, X.row_range(first, last));
      for (std::size_t i = 0; i < n; ++i) values[i] += exact[i] - simd::dot<double>(Z.row(i), Z.row(i));
    }
  });
  const std::size_t targets = fit.y_scale.size();
  result.values = Matrix<double>(X.rows(), targets);
  for (std::size_t i = 0; i < X.rows(); ++i) {
    result.clamped += known[i] < 0 ? 1 : 0;
    for (std::size_t t = 0; t < targets; ++t) {
      const double value = std::max(known[i], 0.0) * fit.signal_variance * fit.y_scale[t] * fit.y_scale[t];
      if (!std::isfinite(value))
        throw std::invalid_argument(
            fmt::format("X has a variance beyond the range of double at row {}; expected a shorter row beside the "
                        "lengthscale, or a bounded map and prior 'features'",
                        i));
      result.values(i, t) = value;
    }
  }
  return result;
}

}  // namespace

GaussianProcessFit fit_gaussian_process(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
                                        std::span<const double> weights, const GaussianProcessOptions& options) {
  return fit_rows<float>(features, X, Y, weights, options);
}

GaussianProcessFit fit_gaussian_process(const Features& features, MatrixView<const double> X,
                                        MatrixView<const double> Y, std::span<const double> weights,
                                        const GaussianProcessOptions& options) {
  return fit_rows<double>(features, X, Y, weights, options);
}

GaussianProcessFit fit_gaussian_process(const Gram& gram, const GaussianProcessOptions& options) {
  require_options(options);
  if (gram.rows() == 0) refuse("gram", "one of no rows", "at least one row of weight > 0");
  return finish(modes_of(gram, options.normalise), options);
}

PredictiveVariance predictive_variance(const Features& features, const GaussianProcessFit& fit,
                                       MatrixView<const float> X, PriorVariance prior) {
  return variance_rows<float>(features, fit, X, prior);
}

PredictiveVariance predictive_variance(const Features& features, const GaussianProcessFit& fit,
                                       MatrixView<const double> X, PriorVariance prior) {
  return variance_rows<double>(features, fit, X, prior);
}

/// Applies the symmetric root of the covariance, y_scale sqrt(signal) (I + V' (sqrt(shrinkage) - 1) V), to a standard
/// normal vector. The root does not depend on the signs of eigenvectors, nor on their choice if eigenvalues are equal.
LinearModel draw_functions(const GaussianProcessFit& fit, std::size_t draws, std::uint64_t seed) {
  if (draws == 0) refuse("draws", "0", "at least 1");
  const std::size_t outputs = fit.mean.weights.cols(), targets = fit.mean.weights.rows(), rank = fit.shrinkage.size();
  LinearModel model{Matrix<double>(draws * targets, outputs), {}};
  const Stream stream(seed, Purpose::posterior_weights);
  // One at a time, so that a function does not depend on how many are drawn.
  parallel_for(model.weights.rows(), 1, [&](std::size_t f, std::size_t) {
    const auto row = model.weights.view().row_range(f, f + 1);
    stream.fill_normal(f, 0, row.row(0));
    Matrix<double> along(1, rank);
    if (rank > 0) blas::gemm_nt<double>(1, row, fit.directions, 0, along);
    for (std::size_t j = 0; j < rank; ++j) along(0, j) *= std::sqrt(fit.shrinkage[j]) - 1;
    if (rank > 0) blas::gemm_nn<double>(1, along, fit.directions, 1, row);
    for (std::size_t j = 0; j < outputs; ++j)
      row(0, j) =
          fit.mean.weights(f % targets, j) + fit.y_scale[f % targets] * std::sqrt(fit.signal_variance) * row(0, j);
  });
  for (std::size_t f = 0; f < model.weights.rows(); ++f) model.intercept.push_back(fit.mean.intercept[f % targets]);
  return model;
}

}  // namespace bochner
