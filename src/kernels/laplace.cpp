// SPDX-License-Identifier: Apache-2.0
// laplace: k(x, y) = exp(-sum_l |x_l - y_l|), a product over coordinates; spectral law: independent Cauchy(1)
// coordinates (Rahimi & Recht, 2007, figure 1). Not isotropic: 'matern' with nu = 1/2 is exp(-|x - y|).
#include <cmath>

#include "kernels/coordinate_sum.h"
#include "kernels/kernel.h"
#include "theory/fourier_terms.h"

namespace bochner {
namespace {

class Laplace final : public Kernel {
 public:
  const Entry& entry() const override {
    static const Entry entry = {.name = "laplace",
                                .aliases = "",
                                .formula = "exp(-sum_l |x_l - y_l| / lengthscale)",
                                .summary =
                                    "the kernel of the city-block distance: sharp at x = y, for rough functions and "
                                    "features of their own scale",
                                .reference = "Rahimi & Recht 2007"};
    return entry;
  }
  bool serves(Family family) const override { return family == Family::fourier; }
  Law spectral_law(const Parameters&) const override { return cauchy_law(); }
  double norm_exponent() const override { return 0; }
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, std::size_t,
                                                    const Parameters&) const override {
    return theory::independent_terms(theory::variance_laplace(z));
  }

  /// Relative error (d + 3) 2^-53 times the exponent.
  void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
            const Parameters&) const override {
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j)
        K(i, j) = std::exp(-coordinate_sum(X.row(i), Y.row(j), [](double a, double b) { return std::abs(a - b); }));
  }
};

}  // namespace

const Kernel& laplace_kernel();
const Kernel& laplace_kernel() {
  static const Laplace kernel;
  return kernel;
}

}  // namespace bochner
