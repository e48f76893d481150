// SPDX-License-Identifier: Apache-2.0
// matern: k(x, y) = 2^{1-nu} / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu) |x - y|; spectral law: multivariate t with 2 nu
// degrees of freedom, isotropic. nu = 1/2 is exp(-|x - y|), 3/2 is (1 + t) e^{-t}, nu -> infinity the Gaussian kernel.
// Functions drawn from it have ceil(nu) - 1 derivatives.
#include <cmath>

#include "core/parameter.h"
#include "kernels/coordinate_sum.h"
#include "kernels/kernel.h"
#include "kernels/matern_function.h"
#include "theory/matern_variance.h"

namespace bochner {
namespace {

constexpr double kLeastNu = 1e-9;
constexpr double kLargestNu = 1e15;

constexpr Parameter kParameters[] = {
    {.name = "nu",
     .standard = "1.5",
     .allowed = "a number from 1e-9 to 1e15",
     .meaning = "smoothness: 0.5 is exp(-|x-y| / lengthscale), infinity would be gaussian",
     .accepts =
         [](const Value& value, std::size_t) {
           const double* nu = std::get_if<double>(&value);
           return nu != nullptr && *nu >= kLeastNu && *nu <= kLargestNu;
         },
     .fallback = [](std::size_t) -> Value { return 1.5; }},
};

class Matern final : public Kernel {
 public:
  const Entry& entry() const override {
    static const Entry entry = {.name = "matern",
                                .aliases = "",
                                .formula = "2^(1-nu) / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu) |x-y| / lengthscale",
                                .summary = "smoothness by choice: nu = 0.5 is exponential, 1.5 and 2.5 are usual",
                                .reference = "Rasmussen & Williams 2006, eq. 4.14",
                                .parameters = kParameters};
    return entry;
  }
  bool serves(Family family) const override { return family == Family::fourier; }
  Law spectral_law(const Parameters& parameters) const override { return student_law(number(parameters, "nu")); }
  double norm_exponent() const override { return 0; }
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, std::size_t D,
                                                    const Parameters& parameters) const override {
    const double nu = number(parameters, "nu");
    const double z2 = squared_norm(z);
    return theory::FourierTerms{
        .variance = theory::variance_matern(nu, z2), .bias = 0.0, .covariance = [nu, z2, D](double c) {
          return theory::pair_difference_matern(nu, z2, D, c);
        }};
  }

  void gram(MatrixView<const double> X, MatrixView<const double> Y, MatrixView<double> K,
            const Parameters& parameters) const override {
    const double nu = number(parameters, "nu");
    for (std::size_t i = 0; i < K.rows(); ++i)
      for (std::size_t j = 0; j < K.cols(); ++j)
        K(i, j) = matern_function(nu, std::sqrt(squared_distance(X.row(i), Y.row(j))));
  }
};

}  // namespace

const Kernel& matern_kernel();
const Kernel& matern_kernel() {
  static const Matern kernel;
  return kernel;
}

}  // namespace bochner
