// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bochner/export.h"
#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner::theory {

/// E[(phi(x).phi(y) - k(x, y))^2] over the draw of W, in closed form: the error known before anything is computed.
/// Stable in double for |x+y|^2, |x-y|^2 (in units of the lengthscale) from 1e-12 to 1e3.
/// Throws std::invalid_argument for what make_features refuses, inputs that do not fit, and where no closed form
/// exists.
BOCHNER_EXPORT double mse(const Spec& spec, std::span<const double> x, std::span<const double> y);

/// What mse is for a spec.
enum class Exactness {
  exact,
  approximate,  ///< that of the coupling which this one approximates, such as Haar blocks for products of Hadamard ones
  none,         ///< no formula is known; mse throws
};
BOCHNER_EXPORT Exactness exactness(const Spec& spec);

/// What Features::fit would choose for the rows of X (queries) and Y (keys; empty: X): the parameters of the map that
/// the spec does not give, such as the A of least variance. Throws as make_features and fit do.
BOCHNER_EXPORT Parameters optimal_parameters(const Spec& spec, MatrixView<const double> X,
                                             MatrixView<const double> Y = {});

}  // namespace bochner::theory
