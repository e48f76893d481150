// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner::theory {

/// E[(phi(x).phi(y) - k(x, y))^2] over the draw of W, in closed form: the error known before anything is computed.
/// Stable in double for |x+y|^2, |x-y|^2 (in units of the lengthscale) from 1e-12 to 1e3.
/// Throws std::invalid_argument for what make_features refuses, inputs that do not fit, and where no closed form
/// exists.
BOCHNER_EXPORT double mse(const Spec& spec, std::span<const double> x, std::span<const double> y);
/// The same for every pair of rows (x_i, y_i); pairs on all threads.
BOCHNER_EXPORT std::vector<double> mse(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y);

/// What mse is for a spec.
enum class Exactness {
  exact,
  approximate,  ///< that of the coupling which this one approximates, such as Haar blocks for products of Hadamard ones
  none,         ///< no formula is known; mse throws
};
BOCHNER_EXPORT Exactness exactness(const Spec& spec);
/// "exact", "approximate" or "none".
BOCHNER_EXPORT std::string_view name_of(Exactness exactness);

/// Conformity of two rows w1, w2 that a coupling draws in one block of R^d, normal law (Reid et al. 2023, Def. 3.1):
///   map positive         E e^{(w1+w2).v}
///   map positive_paired  E cosh(w1.v) cosh(w2.v)
///   map trigonometric    E cos(w1.v) cos(w2.v)
/// `norm` is |v|: |x+y| for the first two, |x-y| for the last. The smaller it is, the smaller the error of the
/// estimate; independent rows have e^{v2}, e^{v2} and e^{-v2}. +infinity above 1.8e308. Throws std::invalid_argument
/// for other maps and for couplings whose rows have no fixed angle.
BOCHNER_EXPORT double conformity(double norm, std::size_t d, std::string_view coupling = "orthogonal",
                                 std::string_view map = "positive");

/// What Features::fit would choose for the rows of X (queries) and Y (keys; empty: X): the parameters of the map that
/// the spec does not give, such as the A of least variance. Throws as make_features and fit do.
BOCHNER_EXPORT Parameters optimal_parameters(const Spec& spec, MatrixView<const double> X,
                                             MatrixView<const double> Y = {});

}  // namespace bochner::theory
