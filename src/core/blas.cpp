// SPDX-License-Identifier: Apache-2.0
#include "core/blas.h"

#include <cblas.h>
#include <pthread.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

#include "core/errors.h"

// Debian's OpenBLAS has no LAPACKE. The last argument is the length of the string, as Fortran passes it.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dpotrs_(const char* uplo, const int* n, const int* nrhs, const double* a, const int* lda, double* b,
             const int* ldb, int* info, std::size_t);
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
    // A child must not find the lock held by a thread that it does not have.
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

/// BLAS wants a stride of at least max(1, cols) even where there is no second row to find.
template <class T>
int leading(MatrixView<T> A) {
  return blas_int(std::max<std::size_t>({1, A.cols(), A.stride()}));
}

template <class T>
void gemm(CBLAS_TRANSPOSE transpose_b, std::size_t n, T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta,
          MatrixView<T> C) {
  assert(C.rows() == A.rows() && C.cols() == n);
  if (C.rows() == 0 || n == 0) return;
  const int rows = blas_int(C.rows()), cols = blas_int(n), inner = blas_int(A.cols());
  const int lda = leading(A), ldb = leading(B), ldc = leading(C);
  const Call call;
  if constexpr (std::is_same_v<T, float>)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose_b, rows, cols, inner, alpha, A.data(), lda, B.data(), ldb, beta,
                C.data(), ldc);
  else
    cblas_dgemm(CblasRowMajor, CblasNoTrans, transpose_b, rows, cols, inner, alpha, A.data(), lda, B.data(), ldb, beta,
                C.data(), ldc);
}

}  // namespace

template <class T>
void gemm_nt(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C) {
  assert(A.cols() == B.cols());
  gemm(CblasTrans, B.rows(), alpha, A, B, beta, C);
}

template <class T>
void gemm_nn(T alpha, MatrixView<const T> A, MatrixView<const T> B, T beta, MatrixView<T> C) {
  assert(A.cols() == B.rows());
  gemm(CblasNoTrans, B.cols(), alpha, A, B, beta, C);
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

// The lower triangle by rows is the upper one by columns, which is how LAPACK reads: A = U' U there is L L' here.
int cholesky(MatrixView<double> A) {
  assert(A.rows() == A.cols());
  if (A.rows() == 0) return 0;
  const int n = blas_int(A.rows()), lda = leading(A);
  int info = 0;
  const Call call;
  dpotrf_("U", &n, A.data(), &lda, &info, 1);
  // OpenBLAS tests pivot <= 0, which lets a NaN pass.
  for (int i = 0; info == 0 && i < n; ++i)
    if (!(A(i, i) > 0.0)) info = i + 1;
  return info;
}

void cholesky_solve(MatrixView<const double> L, std::span<double> b) {
  assert(L.rows() == L.cols() && b.size() == L.rows());
  if (L.rows() == 0) return;
  const int n = blas_int(L.rows()), lda = leading(L), one = 1;
  int info = 0;
  const Call call;
  dpotrs_("U", &n, &one, L.data(), &lda, b.data(), &n, &info, 1);
}

const char* configuration() { return openblas_get_config == nullptr ? "" : openblas_get_config(); }

bool serialised() {
  static const bool result = std::string_view(configuration()).find("SINGLE_THREADED") != std::string_view::npos;
  return result;
}

#define BOCHNER_INSTANTIATE(T)                                                          \
  template void gemm_nt(T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>); \
  template void gemm_nn(T, MatrixView<const T>, MatrixView<const T>, T, MatrixView<T>); \
  template void syrk_add(MatrixView<const T>, MatrixView<T>);                           \
  template void gemv_transposed_add(MatrixView<const T>, std::span<const T>, std::span<T>);
BOCHNER_INSTANTIATE(float)
BOCHNER_INSTANTIATE(double)
#undef BOCHNER_INSTANTIATE

}  // namespace bochner::blas
