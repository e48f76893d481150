// SPDX-License-Identifier: Apache-2.0
// gaussian: k(x, y) = exp(-|x - y|^2 / 2), spectral law N(0, I).
#include <algorithm>
#include <cmath>
#include <vector>

#include "bochner/matrix.h"
#include "core/blas.h"
#include "kernels/coordinate_sum.h"
#include "kernels/kernel.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

std::vector<double> column_means(MatrixView<const double> X) {
  std::vector<double> means(X.cols(), 0.0);
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j) means[j] += X(i, j) / static_cast<double>(X.rows());
  return means;
}

Matrix<double> shifted(MatrixView<const double> X, const std::vector<double>& origin) {
  Matrix<double> copy(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j) copy(i, j) = X(i, j) - origin[j];
  return copy;
}

std::vector<double> squared_norms(MatrixView<const double> X) {
  std::vector<double> norms(X.rows());
  for (std::size_t i = 0; i < X.rows(); ++i) norms[i] = simd::dot<double>(X.row(i), X.row(i));
  return norms;
}

class Gaussian final : public Kernel {
 public:
  const Entry& entry() const override {
    static const Entry entry = {.name = "gaussian",
                                .aliases = "rbf",
                                .formula = "exp(-|x-y|^2 / (2 lengthscale^2))",
                                .summary = "the radial basis function kernel; gamma = 1 / (2 lengthscale^2)",
                                .reference = "Rahimi & Recht 2007"};
    return entry;
  }
  bool serves(Family family) const override { return family != Family::sign; }
  Law spectral_law(const Parameters&) const override { return normal_law(); }
  double norm_exponent() const override { return 0; }
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, std::size_t D,
                                                    const Parameters&) const override {
    return theory::gaussian_terms(squared_norm(z), D);
  }

  /// |x-y|^2 = |x|^2 + |y|^2 - 2 x.y, at least 0. The origin is first moved to the mean of Y, so that nothing cancels
  /// for data far from 0: absolute error of the exponent about 1e-16 (|x|^2 + |y|^2) of the moved rows.
  void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
            const Parameters&) const override {
    const std::vector<double> origin = column_means(Y);
    const Matrix<double> queries = shifted(X, origin);
    const Matrix<double> keys = shifted(Y, origin);
    const std::vector<double> x_norms = squared_norms(queries.view());
    const std::vector<double> y_norms = squared_norms(keys.view());
    blas::gemm_nt<double>(1.0, queries.view(), keys.view(), 0.0, K);
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j)
        K(i, j) = std::exp(-0.5 * std::max(0.0, x_norms[i] + y_norms[j] - 2 * K(i, j)));
  }
};

}  // namespace

const Kernel& gaussian_kernel();
const Kernel& gaussian_kernel() {
  static const Gaussian kernel;
  return kernel;
}

}  // namespace bochner
