// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bochner/matrix.h"

namespace bochner {

/// V (r x r) whose row i has the norm norms[i] and whose rows add up to zero as nearly as the norms allow: started at
/// the regular simplex, row after row is turned against the sum of the others,
///   v_i <- -|v_i| u / |u|,  u = sum_{j != i} v_j
/// (Reid et al., Simplex Random Features, Eq. 16 with the norm in place of the printed vector). |sum v| falls in every
/// step, to 0 unless one norm exceeds the sum of the others; usually 3 or 4 sweeps to 1e-13, at most 100. O(r^2) each.
Matrix<double> relaxed_simplex(std::span<const double> norms);

}  // namespace bochner
