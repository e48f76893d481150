// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner::theory {

/// E[(phi(x).phi(y) - k(x, y))^2] over the draw of W, in closed form: the error known before anything is computed.
/// Stable in double for |x+y|^2, |x-y|^2 (in units of the lengthscale) from 1e-12 to 1e3.
/// Throws std::invalid_argument for what make_features refuses (except that d and m may be larger than memory allows:
/// nothing is drawn), for inputs that do not fit, and where no closed form exists.
BOCHNER_EXPORT double mse(const Spec& spec, std::span<const double> x, std::span<const double> y);
/// The same for every pair of rows (x_i, y_i); the pairs are divided among all threads.
BOCHNER_EXPORT std::vector<double> mse(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y);

// mse = variance + bias^2, for one pair and for rows of pairs. Both throw as mse does, except that for some couplings
// the bias is known to be 0 although the error is not known. They are approximate where mse is.

/// Variance of phi(x).phi(y) over the draw of W.
BOCHNER_EXPORT double variance(const Spec& spec, std::span<const double> x, std::span<const double> y);
BOCHNER_EXPORT std::vector<double> variance(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y);
/// E phi(x).phi(y) - k(x, y): 0 except for Fourier maps on rows of fixed norms (Yu et al. 2016), where it is about
/// -|x-y|^4 exp(-|x-y|^2 / 2) / (4D) for the Gaussian kernel, D the block.
BOCHNER_EXPORT double bias(const Spec& spec, std::span<const double> x, std::span<const double> y);
BOCHNER_EXPORT std::vector<double> bias(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y);

/// sqrt(mse) / |k(x, y)| (Choromanski et al. 2022, Def. 3.3), also where mse or k is out of the range of double;
/// +infinity where k = 0 and mse is not.
BOCHNER_EXPORT double relative_error(const Spec& spec, std::span<const double> x, std::span<const double> y);
BOCHNER_EXPORT std::vector<double> relative_error(const Spec& spec, MatrixView<const double> X,
                                                  MatrixView<const double> Y);
/// The largest relative_error for |x| = |y| = radius over the angle, for closed forms that depend on nothing else at
/// equal norms. Uses a grid of 513 angles and golden-section searches around its local maxima, to 1e-12 of the error.
/// Also throws std::invalid_argument for other maps and kernels, and for one lengthscale per coordinate.
BOCHNER_EXPORT double max_relative_error(const Spec& spec, double radius);
/// A bound of max_relative_error for the map hybrid_angular on independent rows and r = radius/lengthscale >= 1,
///   W sqrt(((1 - 1/n) / (pi r^2) + 1 / (n sqrt(pi) r)) / (2m)),  W = e^{2 r^2} (1 - e^{-4 r^2}),  n = lambda_m
/// (Choromanski et al. 2022, Theorem 3.5, whose last 1/r is misprinted as 1/r^2): a gain of 1/r over either base once n
/// is large, of 1/sqrt(r) for small n. Throws std::invalid_argument for anything else.
BOCHNER_EXPORT double max_relative_error_bound(const Spec& spec, double radius);

/// A bound of P(|phi(x).phi(y) - k(x, y)| >= t), at most 1, for bounded positive features on independent rows: maps
/// optimal_positive, optimal_positive_paired and exponential (s = 1) with real A < 0, coupling iid (Likhosherstov et
/// al. 2022, Theorem 4.2, corrected: theory/tail.h). Throws std::invalid_argument for other specs, and unless t >= 0.
BOCHNER_EXPORT double tail_bound(const Spec& spec, std::span<const double> x, std::span<const double> y, double t);
BOCHNER_EXPORT std::vector<double> tail_bound(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                                              double t);

/// The error of attention with random features.
struct AttentionError {
  double mse;          ///< mean over the columns of E (out - exact)^2
  double denominator;  ///< variance of the denominator relative to its square
};
/// The error of attention (attention.h, bidirectional, `scale` = 1/lengthscale^2) for every query, to the first order
/// in 1/m: with weights p_i of exact attention and E g_i g_j the second moments of the estimate by one direction, in
/// closed form,
///   mse = sum_ij (v_i - out)(v_j - out) E g_i g_j / (m D^2),   D = sum_i exp(x.y_i);
/// the second order, which comes from the square of the denominator's error, is left out. For the kernel
/// softmax, independent rows (coupling iid) and the maps positive, positive_paired, optimal_positive and
/// optimal_positive_paired with A given. Cost: n^2 (d + columns) per query. Throws std::invalid_argument for others and
/// for shapes that do not fit.
BOCHNER_EXPORT std::vector<AttentionError> attention_error(const Spec& spec, MatrixView<const double> queries,
                                                           MatrixView<const double> keys,
                                                           MatrixView<const double> values);

/// A measured error.
struct EstimatedError {
  double mse;             ///< unbiased: the mean over draws of (phi(x).phi(y) - k(x, y))^2
  double standard_error;  ///< standard error of that mean
};
/// The error of every pair of rows from `draws` >= 2 independent draws of W: for mechanisms without a closed form, and
/// to check those that have one. Exponential features of large inputs have such heavy tails that their error and its
/// standard error look too small. spec.seed is ignored; the same bits for any number of threads. Throws
/// std::invalid_argument for what make_features and transform refuse.
BOCHNER_EXPORT std::vector<EstimatedError> estimated_mse(const Spec& spec, MatrixView<const double> X,
                                                         MatrixView<const double> Y, std::size_t draws = 100,
                                                         std::uint64_t seed = 0);

/// How exact mse is for a spec.
enum class Exactness {
  exact,
  approximate,  ///< that of the coupling it approximates, such as Haar blocks for products of Hadamard blocks
  none,         ///< no formula is known; mse throws
};
BOCHNER_EXPORT Exactness exactness(const Spec& spec);
/// "exact", "approximate" or "none".
BOCHNER_EXPORT std::string_view name_of(Exactness exactness);

/// Conformity of two rows w1, w2 that a coupling draws in one block of R^d, for the normal law (Reid et al. 2023, Def.
/// 3.1):
///   map positive         E e^{(w1+w2).v}
///   map positive_paired  E cosh(w1.v) cosh(w2.v)
///   map trigonometric    E cos(w1.v) cos(w2.v)
/// `norm` is |v|: |x+y| for the first two, |x-y| for the last. The smaller the conformity, the smaller the error of the
/// estimate; independent rows have e^{v2}, e^{v2} and e^{-v2}. +infinity above 1.8e308. Throws std::invalid_argument
/// for other maps and for couplings whose rows have no fixed angle.
BOCHNER_EXPORT double conformity(double norm, std::size_t d, std::string_view coupling = "orthogonal",
                                 std::string_view map = "positive");

/// What Features::fit would choose for the rows of X (queries) and Y (keys; empty: X): the parameters of the map that
/// the spec does not give, such as the A of least variance. Throws as make_features and fit do.
BOCHNER_EXPORT Parameters optimal_parameters(const Spec& spec, MatrixView<const double> X,
                                             MatrixView<const double> Y = {});

}  // namespace bochner::theory
