// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_ridge.h"
#include "learners/statistics/normal_equation.h"

namespace bochner {

/// The point that an intercept makes the origin: means of features and targets, or zeros without it.
struct Centre {
  std::vector<double> features, targets;
  /// 1 / (sum of weights), what the intercept adds to every leverage; 0 without it.
  double leverage = 0;
};
Centre centre_of(const Gram& gram, bool intercept);

/// sum_i w_i (phi_i - mean)(phi_i - mean)' in its eigenbasis, and V sum_i w_i (y_i - mean) (phi_i - mean), one row per
/// target: weights(alpha) = sum_j projected_j / (lambda_j + alpha) v_j.
struct PathProblem {
  Spectrum spectrum;
  Matrix<double> projected;
  /// Eigenvalues up to it are rounding, see `rounding`. At an alpha below `least`, which is as good as none, they get
  /// no weight: the solution of least norm.
  double noise = 0, least = 0;
  /// The rounding error of an entry of the matrix, `entry_rounding`.
  double entry = 0;
};
PathProblem path_problem(const Gram& gram, const Centre& centre);

/// sum_i w_i |phi_i|^2, the trace of the Gram matrix.
double squares_of(const Gram& gram);
/// What rounding leaves of an eigenvalue 0 when a mean is taken from `size` features with sum_i w_i |phi_i|^2 =
/// `squares`: (size + 1024) 2^-52 of these, as sums go over 1024 equal rows at a time at worst, or 2^-22 where products
/// were float.
double rounding(double squares, std::size_t size, bool single);
/// That of one entry of the Gram matrix, about: its errors are independent, and no direction sees the sum of them all.
double entry_rounding(double squares, std::size_t size, bool single);
/// The least alpha that is not lost in rounding: below it the equation is no better conditioned than without a penalty.
/// Never 0: a path ends there.
double least_penalty(double squares, bool single);
/// Where the path ends: that, or a condition number of 1e12, for float rows 1e7, if that is more.
double least_alpha(double squares, bool single, double largest);
/// Throws std::invalid_argument where the mean square of features, `squares` / `weight`, is not finite or so small that
/// products of them have underflown: nothing can be learnt from them.
void require_feature_squares(double squares, double weight, bool single);

/// Weights and intercept at one alpha.
LinearModel model_at(const PathProblem& problem, const Centre& centre, double alpha);
/// What makes f(x) = weights (phi - centre) + target centre of the weights.
LinearModel model_with_intercept(Matrix<double> weights, const Centre& centre);

/// The alphas to try, descending: the given ones, or a grid from 10 times the largest eigenvalue down to `least`.
std::vector<double> path_of(const KernelRidgeOptions& options, double largest, double least);
/// The index of the first error, which has the largest alpha, within a thousandth of the least one or nothing but
/// rounding beside that of the largest alpha, the error of nearly no fit. Throws std::invalid_argument if none is
/// finite.
std::size_t best_of(std::span<const double> errors);
/// Chooses fit.alpha by fit.errors, none of which counts below `least`, and notes it where the least error stands where
/// rounding ends the path: a smaller alpha might be better, but nothing tells.
void choose_alpha(KernelRidgeFit& fit, const KernelRidgeOptions& options, double least, bool single);

/// A sum of squared residuals, of targets with the sum of squares `squares`, of which `rounding` may be rounding
/// errors: infinity where these may be all of it. Of targets that are reproduced nothing need be left.
double trusted(double residual, double rounding, double squares);

// Mean squared errors, summed over targets, one per alpha of the path; infinity where rounding leaves nothing of it.

/// e_i / (1 - u_i (phi_i' A^-1 phi_i + 1 / sum w)), u_i what is left out of row i (EqualRows): one more pass over the
/// rows, 2 n outputs^2 flops.
template <class T>
std::vector<double> leave_one_out_errors(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                                         std::span<const double> weights, std::span<const double> left_out,
                                         const PathProblem& problem, const Centre& centre,
                                         std::span<const double> path);
std::vector<double> generalised_errors(const Gram& gram, double observations, const PathProblem& problem,
                                       const Centre& centre, std::span<const double> path);
/// One eigendecomposition per fold.
std::vector<double> fold_errors(const FoldGram& gram, bool intercept, std::span<const double> path);

/// The error by generalised cross-validation from the sums of squared residuals and targets and from the sum of the
/// leverages, that of an intercept apart. One observation leaves none to be fitted to: no alpha is better then.
double generalised_error(double residual, double squares, double leverages, double intercept, double weight,
                         double observations);

/// The fit by the dual equation of size n. Where alpha is to be chosen rows are distinct, and `left_out` says how much
/// of their weights is left out at once; rows of weight 0 must not be among them.
KernelRidgeFit fit_dual(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                        std::span<const double> weights, std::span<const double> left_out,
                        const KernelRidgeOptions& options);

}  // namespace bochner
