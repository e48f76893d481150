// SPDX-License-Identifier: Apache-2.0
#include "bochner/ridge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bochner/kernel_matrix.h"
#include "core/blas.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// Rows of features held at once by one thread: 512 x 1024 doubles are 4 MB, enough for syrk to run at full speed.
constexpr std::size_t kRows = 512;
/// Rows are split into at most this many groups, each with a Gram matrix of its own, summed in order.
constexpr std::size_t kGroups = 8;
/// Beyond this much memory for partial Gram matrices there are fewer groups, though never fewer than two.
constexpr std::size_t kPartialBytes = std::size_t{1} << 30;
/// Multiples of the mean diagonal tried in turn when the factorisation fails: rounding leaves eigenvalues near
/// -1e-16 D times the largest, and beyond 1e-6 the fit would be another one than asked for.
constexpr std::array<double, 7> kJitter = {1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6};

/// Gram = Phi' Phi (lower triangle) and right = Phi' y of one group of rows.
struct NormalEquation {
  Matrix<double> gram;
  std::vector<double> right;
};

void require_symmetric(const Features& features) {
  if (!features.symmetric())
    refuse("features", fmt::format("the map '{}', which treats query and key differently", features.spec().map),
           "a map with one feature vector per row for both sides");
}

void require_alpha(double alpha) {
  if (!(alpha >= 0) || !std::isfinite(alpha)) refuse("alpha", fmt::format("{}", alpha), "a finite number >= 0");
}

/// The features would name a row within its block.
void require_rows(const Features& features, MatrixView<const double> X) {
  if (X.cols() != features.d())
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("n x {} (d)", features.d()));
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j)
      if (!std::isfinite(X(i, j)))
        throw std::invalid_argument(
            fmt::format("X has {} at row {}, column {}; expected a finite number", X(i, j), i, j));
}

void require_training(MatrixView<const double> X, std::span<const double> y, double alpha) {
  require_alpha(alpha);
  if (X.rows() == 0) refuse("X", fmt::format("0 x {}", X.cols()), "at least one row");
  if (y.size() != X.rows())
    refuse("y", fmt::format("a list of {} numbers", y.size()), fmt::format("{}, one for each row of X", X.rows()));
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      throw std::invalid_argument(fmt::format("y has {} at row {}; expected a finite number", y[i], i));
}

std::size_t groups_for(std::size_t outputs) {
  const std::size_t affordable = kPartialBytes / (sizeof(double) * outputs * outputs);
  return std::clamp(affordable, std::size_t{2}, kGroups);
}

NormalEquation accumulate(const Features& features, MatrixView<const double> X, std::span<const double> y) {
  const std::size_t outputs = features.outputs();
  NormalEquation sum{Matrix<double>(outputs, outputs, 0.0), std::vector<double>(outputs, 0.0)};
  Matrix<double> Z(std::min(kRows, X.rows()), outputs);
  for (std::size_t first = 0; first < X.rows(); first += kRows) {
    const std::size_t last = std::min(first + kRows, X.rows());
    const auto block = Z.view().row_range(0, last - first);
    features.transform(X.row_range(first, last), block);
    blas::syrk_add<double>(block, sum.gram);
    blas::gemv_transposed_add<double>(block, y.subspan(first, last - first), sum.right);
  }
  return sum;
}

void add(NormalEquation& sum, const NormalEquation& part) {
  parallel_for(sum.gram.rows(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j <= i; ++j) sum.gram(i, j) += part.gram(i, j);
  });
  for (std::size_t j = 0; j < sum.right.size(); ++j) sum.right[j] += part.right[j];
}

/// (A + alpha I)^-1 b for A given by its lower triangle. The strict upper triangle keeps A while the lower one is
/// factorised, so that another jitter needs no second matrix.
RidgeFit solve(Matrix<double> A, double alpha, std::vector<double> b) {
  const std::size_t size = A.rows();
  std::vector<double> diagonal(size);
  double mean = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) A(j, i) = A(i, j);
    diagonal[i] = A(i, i) + alpha;
    mean += diagonal[i] / static_cast<double>(size);
  }
  if (!std::isfinite(mean))
    throw std::runtime_error("ridge: the Gram matrix is not finite; scale the rows of X down or choose a bounded map");
  const auto factorise = [&](double jitter) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j) A(i, j) = A(j, i);
      A(i, i) = diagonal[i] + jitter;
    }
    return blas::cholesky(A) == 0;
  };
  double jitter = 0;
  bool done = factorise(jitter);
  for (std::size_t step = 0; !done && step < kJitter.size(); ++step) done = factorise(jitter = kJitter[step] * mean);
  if (!done)
    throw std::runtime_error(fmt::format(
        "ridge: the normal equation is not positive definite with alpha {} and jitter up to {}; raise alpha", alpha,
        jitter));
  blas::cholesky_solve(A, b);
  return {std::move(b), jitter};
}

}  // namespace

RidgeFit fit_ridge(const Features& features, MatrixView<const double> X, std::span<const double> y, double alpha) {
  require_symmetric(features);
  require_training(X, y, alpha);
  require_rows(features, X);
  const std::size_t blocks = (X.rows() + kRows - 1) / kRows;
  const std::size_t most = groups_for(features.outputs());
  const std::size_t group = (blocks + most - 1) / most * kRows;
  std::vector<NormalEquation> parts((X.rows() + group - 1) / group);
  parallel_for(X.rows(), group, [&](std::size_t first, std::size_t last) {
    parts[first / group] = accumulate(features, X.row_range(first, last), y.subspan(first, last - first));
  });
  for (std::size_t part = 1; part < parts.size(); ++part) add(parts[0], parts[part]);
  NormalEquation sum = std::move(parts[0]);
  parts.clear();
  return solve(std::move(sum.gram), alpha, std::move(sum.right));
}

std::vector<double> predict_ridge(const Features& features, const RidgeFit& fit, MatrixView<const double> X) {
  require_symmetric(features);
  require_rows(features, X);
  if (fit.beta.size() != features.outputs())
    refuse("fit", fmt::format("{} weights", fit.beta.size()),
           fmt::format("{}, the outputs of the features", features.outputs()));
  std::vector<double> y(X.rows());
  parallel_for(X.rows(), kRows, [&](std::size_t first, std::size_t last) {
    Matrix<double> Z(last - first, features.outputs());
    features.transform(X.row_range(first, last), Z);
    for (std::size_t i = first; i < last; ++i) y[i] = simd::dot<double>(Z.view().row(i - first), fit.beta);
  });
  return y;
}

RidgeFit fit_exact_ridge(std::string_view kernel, std::span<const double> lengthscale, MatrixView<const double> X,
                         std::span<const double> y, double alpha) {
  require_training(X, y, alpha);
  return solve(kernel_matrix<double>(X, X, kernel, lengthscale), alpha, {y.begin(), y.end()});
}

}  // namespace bochner
