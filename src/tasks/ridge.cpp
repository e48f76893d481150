// SPDX-License-Identifier: Apache-2.0
#include "bochner/ridge.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "bochner/gram.h"
#include "bochner/kernel_matrix.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "simd/arrays.h"
#include "tasks/normal_equation.h"
#include "tasks/training_data.h"

namespace bochner {
namespace {

/// Rows of features held at once by one thread in a prediction.
constexpr std::size_t kRows = 256;

void require_training(MatrixView<const double> X, std::span<const double> y, double alpha) {
  require_alpha(alpha);
  if (X.rows() == 0) refuse("X", fmt::format("0 x {}", X.cols()), "at least one row");
  if (y.size() != X.rows())
    refuse("y", fmt::format("a list of {} numbers", y.size()), fmt::format("{}, one for each row of X", X.rows()));
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      throw std::invalid_argument(fmt::format("y has {} at row {}; expected a finite number", y[i], i));
}

RidgeFit solve(Matrix<double> A, double alpha, std::vector<double> b) {
  const auto solved = solve_cholesky(A, alpha, {b.data(), 1, b.size()});
  if (!solved)
    throw std::runtime_error(fmt::format(
        "ridge: the normal equation is not positive definite with alpha {}, whatever the jitter; raise alpha", alpha));
  return {std::move(b), solved->jitter};
}

}  // namespace

RidgeFit fit_ridge(const Features& features, MatrixView<const double> X, std::span<const double> y, double alpha) {
  require_training(X, y, alpha);
  Gram gram(features.outputs(), 1);
  gram.add(features, X, MatrixView<const double>(y.data(), y.size(), 1));
  const auto right = gram.cross().row(0);
  return solve(gram.second_moments(std::vector<double>(gram.outputs(), 0.0)), alpha, {right.begin(), right.end()});
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
