// SPDX-License-Identifier: Apache-2.0
// cauchy: k(x, y) = prod_l 1 / (1 + (x_l - y_l)^2); spectral law: independent Laplace(1) coordinates (Rahimi & Recht,
// 2007, figure 1, with the roles of the two laws as derived: 1 / (1 + z^2) is the transform of e^{-|w|} / 2).
#include <cmath>

#include "kernels/coordinate_sum.h"
#include "kernels/kernel.h"
#include "theory/fourier_terms.h"

namespace bochner {
namespace {

class Cauchy final : public Kernel {
 public:
  const Entry& entry() const override {
    static const Entry entry = {
        .name = "cauchy",
        .aliases = "",
        .formula = "prod_l 1 / (1 + (x_l - y_l)^2 / lengthscale^2)",
        .summary = "a product of Cauchy densities: smooth, with tails that fall slowly in every coordinate",
        .reference = "Rahimi & Recht 2007"};
    return entry;
  }
  bool serves(Family family) const override { return family == Family::fourier; }
  Law spectral_law(const Parameters&) const override { return laplace_law(); }
  double norm_exponent() const override { return 0; }
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, std::size_t,
                                                    const Parameters&) const override {
    return theory::independent_terms(theory::variance_cauchy(z));
  }

  /// Relative error (d + 2) 2^-52; 0 where the product of the denominators overflows.
  void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
            const Parameters&) const override {
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j) {
        double product = 1;
        for (std::size_t l = 0; l < X.cols(); ++l) {
          const double z = X(i, l) - Y(j, l);
          product *= 1 + z * z;
        }
        K(i, j) = 1 / product;
      }
  }
};

}  // namespace

const Kernel& cauchy_kernel();
const Kernel& cauchy_kernel() {
  static const Cauchy kernel;
  return kernel;
}

}  // namespace bochner
