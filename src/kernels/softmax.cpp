// SPDX-License-Identifier: Apache-2.0
// softmax: k(x, y) = exp(x . y) = exp(-|x - y|^2 / 2) exp((|x|^2 + |y|^2) / 2): the Gaussian kernel with a = 1/2.
#include <cmath>

#include "core/blas.h"
#include "kernels/coordinate_sum.h"
#include "kernels/kernel.h"

namespace bochner {
namespace {

class Softmax final : public Kernel {
 public:
  const Entry& entry() const override {
    static const Entry entry = {.name = "softmax",
                                .aliases = "",
                                .formula = "exp(x.y / lengthscale^2)",
                                .summary = "the kernel inside attention; not shift-invariant, grows with |x| |y|",
                                .reference = "Choromanski et al. 2021"};
    return entry;
  }
  bool serves(Family family) const override { return family != Family::sign; }
  Law spectral_law(const Parameters&) const override { return normal_law(); }
  double norm_exponent() const override { return 0.5; }
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, std::size_t D,
                                                    const Parameters&) const override {
    return theory::gaussian_terms(squared_norm(z), D);
  }

  void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
            const Parameters&) const override {
    blas::gemm_nt<double>(1.0, X, Y, 0.0, K);
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (double& entry : K.row(i)) entry = std::exp(entry);
  }
};

}  // namespace

const Kernel& softmax_kernel();
const Kernel& softmax_kernel() {
  static const Softmax kernel;
  return kernel;
}

}  // namespace bochner
