// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Q <- S Q in O(r d), r = rows of Q >= 2: the rows of S are the r unit vectors from the centre of a regular simplex to
/// its vertices, pairwise cosine -1/(r-1). With s = sum_{i<r} q_i / sqrt(r - 1):
///   row i < r:  sqrt(r/(r-1)) q_i - (sqrt(r)+1)/(r-1) s,   row r:  s.
/// (sqrt(r)+1 is right; with the sqrt(r+1) printed in Eq. 9 and Alg. 1 of Reid et al., rows are neither unit nor
/// equiangular.)
void apply_simplex(MatrixView<double> Q);

/// V (r x r) whose row i has the norm norms[i] and whose rows add up to zero as nearly as the norms allow. It starts at
/// the regular simplex and turns one row after another against the sum of the others,
///   v_i <- -|v_i| u / |u|,  u = sum_{j != i} v_j
/// (Reid et al., Simplex Random Features, Eq. 16, with the norm in place of the printed vector). |sum v| falls in every
/// step, to 0 unless one norm exceeds the sum of the others; usually 3 or 4 sweeps to 1e-13, at most 100. O(r^2) each.
Matrix<double> relaxed_simplex(std::span<const double> norms);

}  // namespace bochner
