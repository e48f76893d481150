// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bochner/matrix_view.h"

namespace bochner {

/// Fills Q (r x d, r <= d) with the first r rows of a Haar-distributed orthogonal d x d matrix: the rows are
/// orthonormal and their joint law is invariant under every rotation. Block `block` of seed `seed`.
///
/// Stewart (1980): the Q factor of a Gaussian matrix is a product of Householder reflections whose vectors are Gaussian
/// of decreasing length, so they are drawn directly and no matrix is factorised; the sign fix Q diag(sign R_ii),
/// without which Q is not Haar, is the sign of each vector's first entry. Reflections are applied in panels in compact
/// WY form (Schreiber & Van Loan, 1989): 4 r^2 (d - r/3) flops at the speed of a matrix product, on all threads.
/// Every sum has a fixed order and every operation is rounded separately, so the bits are the same on every machine.
void draw_haar(std::uint64_t seed, std::uint64_t block, MatrixView<double> Q);

/// Fills Q (r x d; r, d <= D) with the first r rows and d columns of a Haar-distributed orthogonal D x D matrix. If D
/// exceeds d, it draws d rows of the transpose, which is Haar too: 4 d^2 (D - d/3) flops and 8 d D bytes for any r.
void draw_haar_corner(std::uint64_t seed, std::uint64_t block, std::size_t D, MatrixView<double> Q);

}  // namespace bochner
