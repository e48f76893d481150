// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/matrix_view.h"

namespace bochner::theory {

/// Conformity of given rows of W (m x d, m >= 2) under one uniform rotation: the mean over ordered pairs i != j of
///   E e^{(w_i+w_j).v} = 0F1(; d/2; v2 |w_i+w_j|^2 / 4),   v2 = |v|^2,
/// what rho of conformity.h is for random norms. Relative error 1e-15 max(10, sqrt(v2) |w_i+w_j|); O(m^2 d).
double conformity_of_rows(MatrixView<const double> W, double v2);

}  // namespace bochner::theory
