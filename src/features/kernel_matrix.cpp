// SPDX-License-Identifier: Apache-2.0
#include "bochner/kernel_matrix.h"

#include <fmt/format.h>

#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "features/check.h"
#include "features/lookup.h"
#include "features/resolve.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerBlock = 64;

/// Rows in double and in units of the lengthscale.
template <class T>
Matrix<double> unit_rows(MatrixView<const T> X, const std::vector<double>& inverse, std::string_view name) {
  Matrix<double> copy(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j) copy(i, j) = static_cast<double>(X(i, j));
  Matrix<double> scaled(X.rows(), X.cols());
  std::vector<double> norms(X.rows());
  scale_rows<double>(copy.view(), inverse, 0, scaled.view(), norms, name);
  return scaled;
}

}  // namespace

template <class T>
Matrix<T> kernel_matrix(MatrixView<const T> X, MatrixView<const T> Y, std::string_view kernel,
                        std::span<const double> lengthscale, const Parameters& parameters) {
  const Kernel& exact = find_kernel(kernel);
  const Parameters complete = complete_parameters(exact, parameters, X.cols());
  if (X.cols() == 0) refuse("X", fmt::format("{} x 0", X.rows()), "at least one column");
  if (Y.cols() != X.cols())
    refuse("Y", fmt::format("{} x {}", Y.rows(), Y.cols()), fmt::format("n x {}, as X", X.cols()));
  const std::vector<double> inverse = inverse_lengthscale(lengthscale, X.cols());
  const Matrix<double> queries = unit_rows(X, inverse, "X");
  const Matrix<double> keys = unit_rows(Y, inverse, "Y");
  Matrix<T> K(X.rows(), Y.rows());
  parallel_for(X.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    Matrix<double> block(last - first, Y.rows());
    exact.gram(queries.view().row_range(first, last), keys.view(), block.view(), complete);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < Y.rows(); ++j) K(i, j) = static_cast<T>(block(i - first, j));
  });
  return K;
}

template Matrix<float> kernel_matrix<float>(MatrixView<const float>, MatrixView<const float>, std::string_view,
                                            std::span<const double>, const Parameters&);
template Matrix<double> kernel_matrix<double>(MatrixView<const double>, MatrixView<const double>, std::string_view,
                                              std::span<const double>, const Parameters&);

}  // namespace bochner
