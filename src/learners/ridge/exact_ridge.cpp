// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "bochner/kernel_matrix.h"
#include "bochner/kernel_ridge.h"
#include "core/errors.h"
#include "learners/statistics/normal_equation.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

void require_training(MatrixView<const double> X, std::span<const double> y, double alpha) {
  require_alpha(alpha);
  if (X.rows() == 0) refuse("X", fmt::format("0 x {}", X.cols()), "at least one row");
  if (y.size() != X.rows())
    refuse("y", fmt::format("a list of {} numbers", y.size()), fmt::format("{}, one for each row of X", X.rows()));
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(y[i]))
      throw std::invalid_argument(fmt::format("y has {} at row {}; expected a finite number", y[i], i));
  require_squares({y.data(), y.size(), 1}, "y");
}

}  // namespace

ExactRidgeFit fit_exact_ridge(std::string_view kernel, std::span<const double> lengthscale, MatrixView<const double> X,
                              std::span<const double> y, double alpha) {
  require_training(X, y, alpha);
  ExactRidgeFit fit{{y.begin(), y.end()}, 0};
  Matrix<double> K = kernel_matrix<double>(X, X, kernel, lengthscale);
  const auto solved = solve_cholesky(K, alpha, {fit.dual.data(), 1, fit.dual.size()});
  if (!solved)
    refuse("alpha", fmt::format("{}", alpha),
           "a larger number: rounding leaves the kernel matrix not positive definite");
  fit.jitter = solved->jitter;
  return fit;
}

}  // namespace bochner
