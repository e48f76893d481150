// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/matrix_view.h"

namespace bochner {

/// Q <- S Q in O(r d), r = rows of Q >= 2: the rows of S are the r unit vectors from the centre of a regular simplex to
/// its vertices, pairwise cosine -1/(r-1). With s = sum_{i<r} q_i / sqrt(r - 1):
///   row i < r:  sqrt(r/(r-1)) q_i - (sqrt(r)+1)/(r-1) s,   row r:  s.
/// (sqrt(r)+1 is right; with the sqrt(r+1) printed in Eq. 9 and Alg. 1 of Reid et al. rows are neither unit nor
/// equiangular.)
void apply_simplex(MatrixView<double> Q);

}  // namespace bochner
