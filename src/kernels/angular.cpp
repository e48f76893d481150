// SPDX-License-Identifier: Apache-2.0
// angular: k(x, y) = 1 - 2 theta / pi, theta the angle between x and y: the mean of sgn(w.x) sgn(w.y) for an isotropic
// w. With sgn(0) = +1 the features of the zero vector are all +1, so that k(0, 0) = 1 and k(0, y) = 0 for y != 0.
// A scalar lengthscale changes nothing; one per coordinate divides the coordinates and so changes the angles.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bochner/matrix.h"
#include "kernels/coordinate_sum.h"
#include "kernels/kernel.h"

namespace bochner {
namespace {

/// x / |x|, or 0 for the zero vector; the largest entry is divided out first, so that no square over- or underflows.
Matrix<double> unit_rows(MatrixView<const double> X) {
  Matrix<double> U(X.rows(), X.cols(), 0.0);
  for (std::size_t i = 0; i < X.rows(); ++i) {
    double largest = 0;
    for (const double entry : X.row(i)) largest = std::max(largest, std::abs(entry));
    if (largest == 0) continue;
    for (std::size_t l = 0; l < X.cols(); ++l) U(i, l) = X(i, l) / largest;
    const double norm = std::sqrt(squared_norm(U.view().row(i)));
    for (double& entry : U.view().row(i)) entry /= norm;
  }
  return U;
}

/// theta = 2 atan2(|u - v|, |u + v|) for unit vectors has an absolute error of 1e-15 for every angle; the arc cosine of
/// u.v would have 1e-8 near 0 and pi. A zero vector is at a right angle to every other one.
double similarity(std::span<const double> u, std::span<const double> v) {
  const double apart = squared_distance(u, v);
  const double together = coordinate_sum(u, v, [](double a, double b) { return (a + b) * (a + b); });
  return 1 - 4 / std::numbers::pi * std::atan2(std::sqrt(apart), std::sqrt(together));
}

class Angular final : public Kernel {
 public:
  const Entry& entry() const override {
    static const Entry entry = {.name = "angular",
                                .aliases = "",
                                .formula = "1 - 2 theta / pi, theta the angle between x and y",
                                .summary = "the kernel of sign features and binary codes; blind to the norms",
                                .reference = "Charikar 2002"};
    return entry;
  }
  bool serves(Family family) const override { return family == Family::sign; }
  Law spectral_law(const Parameters&) const override { return normal_law(); }
  double norm_exponent() const override { return 0; }
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double>, std::size_t,
                                                    const Parameters&) const override {
    return std::nullopt;
  }

  void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
            const Parameters&) const override {
    const Matrix<double> U = unit_rows(X);
    const Matrix<double> V = unit_rows(Y);
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j) K(i, j) = similarity(U.view().row(i), V.view().row(j));
  }
};

}  // namespace

const Kernel& angular_kernel();
const Kernel& angular_kernel() {
  static const Angular kernel;
  return kernel;
}

}  // namespace bochner
