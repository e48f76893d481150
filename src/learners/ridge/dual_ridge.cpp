// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/blas.h"
#include "core/parallel.h"
#include "learners/ridge/ridge_path.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// Rows sqrt(w_i) (phi_i - mean) and sqrt(w_i) (y_i - mean): ridge on them has no intercept and no weights.
struct Rows {
  Centre centre;
  double weight = 0;
  double squares = 0;  ///< sum w_i |phi_i|^2 before the mean is subtracted
  std::vector<double> weights, left_out;
  Matrix<double> phi;      ///< n x outputs
  Matrix<double> targets;  ///< targets x n
};

/// Subtracts the weighted mean of each column if `centred`, and multiplies rows by sqrt(w).
std::vector<double> standardise(MatrixView<double> A, const Rows& rows, bool centred) {
  std::vector<double> means(A.cols(), 0.0);
  for (std::size_t i = 0; centred && i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) means[j] += rows.weights[i] / rows.weight * A(i, j);
  for (std::size_t i = 0; i < A.rows(); ++i) {
    const double root = std::sqrt(rows.weights[i]);
    for (std::size_t j = 0; j < A.cols(); ++j) A(i, j) = root * (A(i, j) - means[j]);
  }
  return means;
}

/// If all targets are the same number, their mean is exactly that number.
void centre_constants(MatrixView<const double> Y, MatrixView<double> standard, std::vector<double>& means) {
  for (std::size_t t = 0; t < Y.cols(); ++t) {
    bool constant = true;
    for (std::size_t i = 1; i < Y.rows(); ++i) constant = constant && Y(i, t) == Y(0, t);
    if (!constant) continue;
    means[t] = Y(0, t);
    for (std::size_t i = 0; i < Y.rows(); ++i) standard(i, t) = 0;
  }
}

Rows rows_of(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
             std::span<const double> weights, bool intercept) {
  const std::size_t n = X.rows();
  Rows rows;
  rows.weights = weights.empty() ? std::vector<double>(n, 1.0) : std::vector<double>(weights.begin(), weights.end());
  for (const double weight : rows.weights) rows.weight += weight;
  rows.phi = Matrix<double>(n, features.outputs());
  features.transform(X, rows.phi);
  for (std::size_t i = 0; i < n; ++i)
    rows.squares += rows.weights[i] * simd::dot<double>(rows.phi.view().row(i), rows.phi.view().row(i));
  rows.centre.features = standardise(rows.phi, rows, intercept);
  Matrix<double> standard(n, Y.cols());
  for (std::size_t i = 0; i < n; ++i) std::copy_n(Y.row(i).data(), Y.cols(), standard.view().row(i).data());
  rows.centre.targets = standardise(standard, rows, intercept);
  if (intercept) centre_constants(Y, standard, rows.centre.targets);
  rows.centre.leverage = intercept ? 1 / rows.weight : 0;
  rows.targets = Matrix<double>(Y.cols(), n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t t = 0; t < Y.cols(); ++t) rows.targets(t, i) = standard(i, t);
  return rows;
}

/// The lower triangle of phi phi'.
Matrix<double> kernel_of(MatrixView<const double> phi) {
  Matrix<double> K(phi.rows(), phi.rows());
  parallel_for(phi.rows(), 64, [&](std::size_t first, std::size_t last) {
    blas::gemm_nt<double>(1, phi.row_range(first, last), phi.row_range(0, last), 0,
                          K.view().row_range(first, last).col_range(0, last));
  });
  return K;
}

/// For `least_penalty`: K has an error of eps sqrt(trace squares), since its rows were centred before they were
/// multiplied. If rows are equal, centring leaves a trace of eps^2 squares, or by chance nothing.
double scale_of(const Rows& rows, MatrixView<const double> K) {
  double trace = 0;
  for (std::size_t i = 0; i < K.rows(); ++i) trace += K(i, i);
  const double root = std::sqrt(rows.squares);
  return std::max(std::sqrt(trace), std::numeric_limits<double>::epsilon() * root) * root;
}

/// Eigenvectors of K. With an intercept, u = sqrt(w / sum w) is an eigenvector of eigenvalue 0, which is put first: its
/// eigenvalue is shifted beyond all others, so that it is found on its own, not mixed with those of other small
/// eigenvalues.
Spectrum spectrum_of_rows(const Rows& rows, Matrix<double> K) {
  if (rows.centre.leverage == 0) return spectrum_of(std::move(K));
  const std::size_t n = K.rows();
  double trace = 0;
  for (std::size_t i = 0; i < n; ++i) trace += K(i, i);
  const double beyond = trace > 0 ? 2 * trace : 1;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) K(i, j) += beyond * std::sqrt(rows.weights[i] * rows.weights[j]) / rows.weight;
  Spectrum found = spectrum_of(std::move(K));
  std::rotate(found.vectors.data(), found.vectors.data() + (n - 1) * n, found.vectors.data() + n * n);
  std::rotate(found.values.begin(), found.values.end() - 1, found.values.end());
  found.values.front() = 0;
  return found;
}

/// In the eigenbasis of K the residual is sum_j u_ij r_j q_j with r = alpha / (lambda + alpha), and 1 - leverage is
/// sum_j u_ij^2 r_j, both without the vector of the intercept: q is 0 there, and what it adds to the sum, w / sum w, is
/// the leverage of the intercept. Nothing cancels if alpha is small: each term is itself small.
double leave_one_out_error(const Rows& rows, const PathProblem& problem, double alpha) {
  const std::size_t n = rows.weights.size();
  const auto& [vectors, values] = problem.spectrum;
  std::vector<double> slack(n, 0.0);
  Matrix<double> residuals(rows.targets.rows(), n, 0.0);
  for (std::size_t j = rows.centre.leverage > 0 ? 1 : 0; j < n; ++j) {
    const double rest = alpha / (values[j] + alpha);
    for (std::size_t i = 0; i < n; ++i) {
      slack[i] += vectors(j, i) * vectors(j, i) * rest;
      for (std::size_t t = 0; t < residuals.rows(); ++t)
        residuals(t, i) += vectors(j, i) * rest * problem.projected(t, j);
    }
  }
  double error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double part = rows.left_out[i] / rows.weights[i], left = 1 - part + part * slack[i];
    for (std::size_t t = 0; t < residuals.rows(); ++t) {
      const double residual = residuals(t, i) / std::max(left, std::numeric_limits<double>::min());
      error += residual * residual;  // residuals of standardised rows contain sqrt(w)
    }
  }
  return error / rows.weight;
}

double generalised_error(const Rows& rows, const PathProblem& problem, double alpha) {
  const auto& values = problem.spectrum.values;
  double residual = 0, squares = 0, leverages = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double rest = alpha / (values[j] + alpha);
    leverages += values[j] / (values[j] + alpha);
    for (std::size_t t = 0; t < problem.projected.rows(); ++t) {
      const double square = problem.projected(t, j) * problem.projected(t, j);
      residual += rest * rest * square;
      squares += square;
    }
  }
  double observations = 0;
  for (std::size_t i = 0; i < rows.weights.size(); ++i) observations += rows.weights[i] / rows.left_out[i];
  return bochner::generalised_error(residual, squares, leverages, rows.centre.leverage > 0 ? 1 : 0, rows.weight,
                                    observations);
}

/// The weights of the features from those of the rows.
LinearModel primal(const Rows& rows, MatrixView<const double> dual) {
  Matrix<double> weights(dual.rows(), rows.phi.cols());
  blas::gemm_nn<double>(1, dual, rows.phi, 0, weights);
  return model_with_intercept(std::move(weights), rows.centre);
}

KernelRidgeFit from_spectrum(const Rows& rows, Matrix<double> K, const KernelRidgeOptions& options) {
  const std::size_t n = rows.weights.size();
  const double scale = scale_of(rows, K);
  PathProblem problem{spectrum_of_rows(rows, std::move(K)), Matrix<double>(rows.targets.rows(), n),
                      rounding(rows.squares, n, false), least_penalty(scale, false)};
  blas::gemm_nt<double>(1, rows.targets, problem.spectrum.vectors, 0, problem.projected);
  KernelRidgeFit fit;
  if (options.alpha) {
    fit.alpha = *options.alpha;
  } else {
    const double largest = problem.spectrum.largest(), least = least_alpha(scale, false, largest);
    fit.path = path_of(options, largest, least);
    for (const double alpha : fit.path)
      fit.errors.push_back(options.selection == Selection::generalised ? generalised_error(rows, problem, alpha)
                                                                       : leave_one_out_error(rows, problem, alpha));
    choose_alpha(fit, options, least, false);
  }
  const Centre none{std::vector<double>(n, 0.0), std::vector<double>(rows.targets.rows(), 0.0), 0};
  fit.model = primal(rows, model_at(problem, none, fit.alpha).weights);
  fit.condition = problem.spectrum.condition(fit.alpha);
  return fit;
}

}  // namespace

KernelRidgeFit fit_dual(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                        std::span<const double> weights, std::span<const double> left_out,
                        const KernelRidgeOptions& options) {
  Rows rows = rows_of(features, X, Y, weights, options.intercept);
  rows.left_out.assign(left_out.begin(), left_out.end());
  require_feature_squares(rows.squares, rows.weight, false);
  Matrix<double> K = kernel_of(rows.phi);
  if (!options.alpha) return from_spectrum(rows, std::move(K), options);
  Matrix<double> dual(rows.targets.rows(), X.rows());
  std::copy_n(rows.targets.data(), dual.rows() * dual.cols(), dual.data());
  const bool none = *options.alpha < least_penalty(scale_of(rows, K), false);
  const auto solved = solve_cholesky(K, *options.alpha, dual, none ? rounding(rows.squares, X.rows(), false) : 0.0);
  if (!solved) return from_spectrum(rows, std::move(K), options);
  return {primal(rows, dual), *options.alpha, solved->jitter, solved->condition, {}, {}, {}};
}

}  // namespace bochner
