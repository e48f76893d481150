// SPDX-License-Identifier: Apache-2.0
#include "core/blas.h"

#include <cblas.h>
#include <pthread.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"

// Debian's OpenBLAS has no LAPACKE. The last arguments are the lengths of the strings, which Fortran passes.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info, std::size_t);
void dpocon_(const char* uplo, const int* n, const double* a, const int* lda, const double* anorm, double* rcond,
             double* work, int* iwork, int* info, std::size_t);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, std::size_t, std::size_t);
}
#pragma weak openblas_get_config
#pragma weak openblas_set_num_threads

namespace bochner::blas {
namespace {

std::mutex call_mutex;

void set_up() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
    // After fork(), the child must not find the lock held by a thread that does not exist there.
    if (serialised())
      pthread_atfork([] { call_mutex.lock(); }, [] { call_mutex.unlock(); }, [] { call_mutex.unlock(); });
  });
}

/// Every call holds one of these.
class Call {
 public:
  Call() : lock_(call_mutex, std::defer_lock) {
    set_up();
    if (serialised()) lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

int blas_int(std::size_t size) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  if (size > kMost) refuse("matrix size", std::to_string(size), "at most " + std::to_string(kMost));
  return static_cast<int>(size);
}

/// BLAS requires a stride of at least max(1, cols) even where there is no second row.
template <class T>
int leading(MatrixView<T> A) {
  return blas_int(std::max<std::size_t>({1, A.cols(), A.stride()}));
}

template <class T>
void gemm(CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, T alpha, MatrixView<const T> A,
          MatrixView<const T> B, T beta, MatrixView<T> C) {
  assert(C.rows() == (transpose_a == CblasTrans ? A.cols() : A.rows()));
  assert(C.cols() == (transpose_b == CblasTrans ? B.rows() : B.cols()));
  if (C.rows() == 0 || C.cols() == 0) return;
  const int rows = blas_int(C.rows()), cols = blas_int(C.cols());
  const int inner = blas_int(transpose_a == CblasTrans ? A.rows() : A.cols());
  const int lda = leading(A), ldb = leading(B), ldc = leading(C);
  const Call call;
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemm(CblasRowMajor, transpose_a, transpose_b, rows, cols, inner, alpha, A.data(), lda, B.data(), ldb, beta,
                C.data(), ldc);
  else
    cblas_dgemm(CblasRowMajor, transpose_a, transpose_b, rows, cols, inner, alpha, A.data(), lda, B.data(), ldb, beta,
                C.data(), ldc);
}

}  // namespace

template <class T>
void gemm_nt(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C) {
  assert(A.cols() == B.cols());
  gemm(CblasNoTrans, CblasTrans, alpha, A, B, beta, C);
}

template <class T>
void gemm_nn(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C) {
  assert(A.cols() == B.rows());
  gemm(CblasNoTrans, CblasNoTrans, alpha, A, B, beta, C);
}

template <class T>
void gemm_tn(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C) {
  assert(A.rows() == B.rows());
  gemm(CblasTrans, CblasNoTrans, alpha, A, B, beta, C);
}

template <class T>
void syrk_add(MatrixView<const T> A, MatrixView<T> C) {
  assert(C.rows() == A.cols() && C.cols() == A.cols());
  if (A.rows() == 0 || A.cols() == 0) return;
  const int n = blas_int(A.cols()), k = blas_int(A.rows()), lda = leading(A), ldc = leading(C);
  const Call call;
  if constexpr (std::is_same_v<T, float>)
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasTrans, n, k, 1.0f, A.data(), lda, 1.0f, C.data(), ldc);
  else
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, n, k, 1.0, A.data(), lda, 1.0, C.data(), ldc);
}

template <class T>
void gemv_transposed_add(MatrixView<const T> A, std::span<const T> x, std::span<T> y) {
  assert(x.size() == A.rows() && y.size() == A.cols());
  if (A.rows() == 0 || A.cols() == 0) return;
  const int rows = blas_int(A.rows()), cols = blas_int(A.cols()), lda = leading(A);
  const Call call;
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemv(CblasRowMajor, CblasTrans, rows, cols, 1.0f, A.data(), lda, x.data(), 1, 1.0f, y.data(), 1);
  else
    cblas_dgemv(CblasRowMajor, CblasTrans, rows, cols, 1.0, A.data(), lda, x.data(), 1, 1.0, y.data(), 1);
}

// LAPACK reads by columns, so our lower triangle is its upper one: its A = U' U is our L L'.
int cholesky(MatrixView<double> A) {
  assert(A.rows() == A.cols());
  if (A.rows() == 0) return 0;
  const int n = blas_int(A.rows()), lda = leading(A);
  int info = 0;
  const Call call;
  dpotrf_("U", &n, A.data(), &lda, &info, 1);
  // OpenBLAS stops at a pivot <= 0, which a NaN is not.
  for (int i = 0; info == 0 && i < n; ++i)
    if (!(A(i, i) > 0.0)) info = i + 1;
  return info;
}

void cholesky_solve(MatrixView<const double> L, std::span<double> b) {
  cholesky_solve_rows(L, {b.data(), 1, b.size()});
}

// LAPACK reads the rows of B as columns.
void cholesky_solve_rows(MatrixView<const double> L, MatrixView<double> B) {
  assert(L.rows() == L.cols() && B.cols() == L.rows());
  if (L.rows() == 0 || B.rows() == 0) return;
  const int n = blas_int(L.rows()), count = blas_int(B.rows()), lda = leading(L), ldb = leading(B);
  int info = 0;
  const Call call;
  dpotrs_("U", &n, &count, L.data(), &lda, B.data(), &ldb, &info, 1);
}

double reciprocal_condition(MatrixView<const double> L, double norm) {
  if (L.rows() == 0) return 1;
  const int n = blas_int(L.rows()), lda = leading(L);
  std::vector<double> work(3 * L.rows());
  std::vector<int> integers(L.rows());
  double result = 0;
  int info = 0;
  const Call call;
  dpocon_("U", &n, L.data(), &lda, &norm, &result, work.data(), integers.data(), &info, 1);
  return result;
}

void eigen(MatrixView<double> A, std::span<double> values) {
  assert(A.rows() == A.cols() && values.size() == A.rows());
  if (A.rows() == 0) return;
  const int n = blas_int(A.rows()), lda = leading(A);
  const int size = blas_int(1 + 6 * A.rows() + 2 * A.rows() * A.rows()), integer_size = 3 + 5 * n;
  std::vector<double> work(static_cast<std::size_t>(size));
  std::vector<int> integers(static_cast<std::size_t>(integer_size));
  int info = 0;
  const Call call;
  dsyevd_("V", "U", &n, A.data(), &lda, values.data(), work.data(), &size, integers.data(), &integer_size, &info, 1, 1);
  if (info != 0) throw std::runtime_error("the eigenvalues of a symmetric matrix did not converge");
}

const char* configuration() { return openblas_get_config == nullptr ? "" : openblas_get_config(); }

bool serialised() {
  static const bool result = std::string_view(configuration()).find("SINGLE_THREADED") != std::string_view::npos;
  return result;
}

#define BOCHNER_INSTANTIATE(T)                                                          \
  template void gemm_nt(T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>); \
  template void gemm_nn(T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>); \
  template void gemm_tn(T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>); \
  template void syrk_add(MatrixView<const T>, MatrixView<T>);                           \
  template void gemv_transposed_add(MatrixView<const T>, std::span<const T>, std::span<T>);
BOCHNER_INSTANTIATE(float)
BOCHNER_INSTANTIATE(double)
#undef BOCHNER_INSTANTIATE

}  // namespace bochner::blas
