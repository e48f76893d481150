// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_ridge.h"
#include "learners/statistics/normal_equation.h"

namespace bochner {

/// The point that becomes the origin: with an intercept the means of features and targets, otherwise zeros.
struct Centre {
  std::vector<double> features, targets;
  /// 1 / (sum of weights), which the intercept adds to every leverage; 0 without an intercept.
  double leverage = 0;
};
Centre centre_of(const Gram& gram, bool intercept);

/// sum_i w_i (phi_i - mean)(phi_i - mean)' in its eigenbasis, and V sum_i w_i (y_i - mean) (phi_i - mean), one row per
/// target: weights(alpha) = sum_j projected_j / (lambda_j + alpha) v_j.
struct PathProblem {
  Spectrum spectrum;
  Matrix<double> projected;
  /// Eigenvalues up to `noise` are rounding, see `rounding`. At an alpha below `least`, which is as good as none, they
  /// get no weight, which gives the solution of least norm.
  double noise = 0, least = 0;
  /// The rounding error of an entry of the matrix, `entry_rounding`.
  double entry = 0;
};
PathProblem path_problem(const Gram& gram, const Centre& centre);

/// sum_i w_i |phi_i|^2, the trace of the Gram matrix.
double squares_of(const Gram& gram);
/// The size that an eigenvalue 0 has after rounding when a mean is subtracted from `size` features with
/// sum_i w_i |phi_i|^2 = `squares`: (size + 1024) 2^-52 of `squares`, as sums go over 1024 equal rows at a time at
/// worst, or 2^-22 if products were float.
double rounding(double squares, std::size_t size, bool single);
/// About the rounding error of one entry of the Gram matrix: errors of entries are independent, and no direction sees
/// the sum of all of them.
double entry_rounding(double squares, std::size_t size, bool single);
/// The least alpha that is not lost in rounding: below it the equation is no better conditioned than without a penalty.
/// Never 0, because a path ends there.
double least_penalty(double squares, bool single);
/// Where the path ends: at the least penalty, or at a condition number of 1e12 (float rows: 1e7) if that alpha is
/// larger.
double least_alpha(double squares, bool single, double largest);
/// Throws std::invalid_argument if the mean square of features, `squares` / `weight`, is not finite or so small that
/// products of features have underflowed: nothing can be learnt from them.
void require_feature_squares(double squares, double weight, bool single);

/// The weights and intercept at one alpha.
LinearModel model_at(const PathProblem& problem, const Centre& centre, double alpha);
/// The model f(x) = weights (phi - centre) + target centre.
LinearModel model_with_intercept(Matrix<double> weights, const Centre& centre);

/// The alphas to try, descending: the given ones, or a grid from 10 times the largest eigenvalue down to `least`.
std::vector<double> path_of(const KernelRidgeOptions& options, double largest, double least);
/// The index of the first error, so of the largest alpha, that is within a thousandth of the least error or is nothing
/// but rounding relative to the error at the largest alpha, where there is nearly no fit. Throws std::invalid_argument
/// if no error is finite.
std::size_t best_of(std::span<const double> errors);
/// Chooses fit.alpha by fit.errors, ignoring those of alphas below `least`. Adds a note if the least error is where
/// rounding ends the path: a smaller alpha might be better, but that cannot be known.
void choose_alpha(KernelRidgeFit& fit, const KernelRidgeOptions& options, double least, bool single);

/// The sum of squared residuals `residual` of targets with the sum of squares `squares`; infinity if all of it may be
/// rounding errors, which are up to `rounding`. If targets are reproduced, nothing need be left.
double trusted(double residual, double rounding, double squares);

// Mean squared errors, summed over targets, one per alpha of the path; infinity if rounding leaves nothing of an error.

/// e_i / (1 - u_i (phi_i' A^-1 phi_i + 1 / sum w)), where u_i is what is left out of row i (EqualRows). One more pass
/// over the rows, 2 n outputs^2 flops.
template <class T>
std::vector<double> leave_one_out_errors(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                                         std::span<const double> weights, std::span<const double> left_out,
                                         const PathProblem& problem, const Centre& centre,
                                         std::span<const double> path);
std::vector<double> generalised_errors(const Gram& gram, double observations, const PathProblem& problem,
                                       const Centre& centre, std::span<const double> path);
/// Takes one eigendecomposition per fold.
std::vector<double> fold_errors(const FoldGram& gram, bool intercept, std::span<const double> path);

/// The error by generalised cross-validation from the sums of squared residuals and targets and the sum of the
/// leverages, without that of an intercept. With one observation none is left to fit to, so no alpha is better.
double generalised_error(double residual, double squares, double leverages, double intercept, double weight,
                         double observations);

/// The fit by the dual equation of size n. If alpha must be chosen, the rows are distinct, and `left_out` says how much
/// of their weights is left out at once. There must be no rows of weight 0.
KernelRidgeFit fit_dual(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                        std::span<const double> weights, std::span<const double> left_out,
                        const KernelRidgeOptions& options);

}  // namespace bochner
