// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/normal_equation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/blas.h"
#include "core/parallel.h"

namespace bochner {
namespace {

/// Multiples of the mean diagonal, tried in turn if the factorisation fails: rounding leaves eigenvalues near -1e-16 D
/// times the largest, and beyond 1e-6 the fit would not be the one asked for.
constexpr std::array<double, 7> kJitter = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6};

void require_finite_diagonal(MatrixView<const double> A) {
  double trace = 0;
  for (std::size_t i = 0; i < A.rows(); ++i) trace += A(i, i);
  if (!std::isfinite(trace)) refuse_large_products();
}

/// The largest sum of absolute values of a column of the symmetric matrix with this upper triangle and diagonal.
double one_norm(MatrixView<const double> A, const std::vector<double>& diagonal, double jitter) {
  std::vector<double> sums(A.rows(), 0.0);
  for (std::size_t i = 0; i < A.rows(); ++i) {
    sums[i] += std::fabs(diagonal[i] + jitter);
    for (std::size_t j = i + 1; j < A.rows(); ++j) {
      sums[i] += std::fabs(A(i, j));
      sums[j] += std::fabs(A(i, j));
    }
  }
  return *std::max_element(sums.begin(), sums.end());
}

enum class Into { upper, lower };

/// Copies one strict triangle into the other, in tiles, because each number in a column of a large matrix is on a page
/// of its own.
void mirror(MatrixView<double> A, Into triangle) {
  constexpr std::size_t kTile = 64;
  parallel_for(A.rows(), kTile, [&](std::size_t first, std::size_t last) {
    for (std::size_t left = 0; left < last; left += kTile)
      for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = left; j < std::min(left + kTile, i); ++j)
          triangle == Into::upper ? A(j, i) = A(i, j) : A(i, j) = A(j, i);
  });
}

}  // namespace

void refuse_large_products() {
  throw std::invalid_argument(
      "X has rows whose features are so large that the Gram matrix is not finite; expected shorter rows beside the "
      "lengthscale, smaller weights, or a bounded map");
}

// The strict upper triangle keeps A while the lower one is factorised, so that another jitter needs no second matrix.
std::optional<Factorised> solve_cholesky(MatrixView<double> A, double alpha, MatrixView<double> B, double noise) {
  require_finite_diagonal(A);
  const std::size_t size = A.rows();
  std::vector<double> diagonal(size);
  double mean = 0;
  for (std::size_t i = 0; i < size; ++i) {
    diagonal[i] = A(i, i) + alpha;
    mean += diagonal[i] / static_cast<double>(size);
  }
  const auto shift_diagonal = [&](double shift) {
    for (std::size_t i = 0; i < size; ++i) A(i, i) = diagonal[i] + shift;
  };
  const auto restore = [&](double shift) {
    mirror(A, Into::lower);
    shift_diagonal(shift);
  };
  mirror(A, Into::upper);
  double jitter = 0;
  shift_diagonal(jitter);
  bool done = blas::cholesky(A) == 0;
  for (std::size_t step = 0; !done && step < kJitter.size(); ++step) {
    restore(jitter = kJitter[step] * mean);
    done = blas::cholesky(A) == 0;
  }
  const double norm = one_norm(A, diagonal, jitter), reciprocal = done ? blas::reciprocal_condition(A, norm) : 0.0;
  if (!done || (noise > 0 && !(reciprocal * norm > noise))) {
    restore(-alpha);
    return std::nullopt;
  }
  blas::cholesky_solve_rows(A, B);
  return Factorised{jitter, reciprocal > 0 ? 1 / reciprocal : std::numeric_limits<double>::infinity()};
}

double Spectrum::condition(double alpha) const {
  if (values.empty()) return 1;
  const double smallest = values.front() + alpha;
  return smallest > 0 ? (largest() + alpha) / smallest : std::numeric_limits<double>::infinity();
}

Spectrum spectrum_of(Matrix<double> A) {
  require_finite_diagonal(A);
  Spectrum result{std::move(A), {}};
  result.values.resize(result.vectors.rows());
  blas::eigen(result.vectors, result.values);
  for (double& value : result.values) value = std::max(value, 0.0);
  return result;
}

void multiply_nt(MatrixView<const double> A, MatrixView<const double> B, MatrixView<double> C) {
  parallel_for(A.rows(), 64, [&](std::size_t first, std::size_t last) {
    blas::gemm_nt<double>(1, A.row_range(first, last), B, 0, C.row_range(first, last));
  });
}

}  // namespace bochner
