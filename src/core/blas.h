// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bochner/matrix_view.h"

namespace bochner::blas {

/// Thin row-major wrappers of BLAS and LAPACK, always on one BLAS thread: parallelism is ours, so bits do not depend on
/// it. A single-threaded OpenBLAS build without locking (Debian's "serial" flavour) returns wrong products when several
/// threads call it; it is detected at first use, and then every call takes one lock.
/// The first call sets the BLAS to one thread. In OpenBLAS this setting holds for the whole process: all other code in
/// it that uses the same library file gets it too.

/// C = alpha A B' + beta C.
template <class T>
void gemm_nt(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C);
/// C = alpha A B + beta C.
template <class T>
void gemm_nn(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C);
/// C = alpha A' B + beta C.
template <class T>
void gemm_tn(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C);
/// Lower triangle of C += A' A.
template <class T>
void syrk_add(MatrixView<const T> A, MatrixView<T> C);
/// y += A' x.
template <class T>
void gemv_transposed_add(MatrixView<const T> A, std::span<const T> x, std::span<T> y);

/// In-place Cholesky of the lower triangle; returns 0, or 1 + the index of the pivot that was not positive.
int cholesky(MatrixView<double> A);
/// Solves L L' x = b in place, with L from `cholesky`.
void cholesky_solve(MatrixView<const double> L, std::span<double> b);
/// The same for every row b of B.
void cholesky_solve_rows(MatrixView<const double> L, MatrixView<double> B);
/// Estimate of 1 / (|A|_1 |A^-1|_1) for A = L L' with the 1-norm `norm`: within a factor of 3 in practice, O(n^2).
double reciprocal_condition(MatrixView<const double> L, double norm);

/// A symmetric matrix, given by its lower triangle, as sum_j values_j v_j v_j', where v_j is the j-th row of A on
/// return; values ascend. About 9 n^3 flops and 2 n^2 numbers of workspace. Throws std::runtime_error if LAPACK fails.
void eigen(MatrixView<double> A, std::span<double> values);

/// How the linked OpenBLAS describes itself, e.g. "OpenBLAS 0.3.21 ... MAX_THREADS=64"; empty for another BLAS.
const char* configuration();
/// Whether calls are serialised because the linked library lacks locking.
bool serialised();

}  // namespace bochner::blas
