// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace bochner::theory {

/// What the error of the Fourier maps needs to know about the rows of W at a difference z = x - y. The estimate is the
/// mean of cos(w_i.z) (the cosine map adds cos(w_i.(x+y) + 2 b_i), of variance 1/2 and uncorrelated with all else).
struct FourierTerms {
  double variance;  ///< Var cos(w.z)
  double bias;      ///< E cos(w.z) - k(z)
  /// Cov(cos(w1.z), cos(w2.z)) for two rows of one block that meet at an angle with this cosine.
  std::function<double(double cosine)> covariance;
};

/// Normal rows (norms chi_D in R^D, D >= 1): the Gaussian kernel, unbiased. Errors as in conformity.h.
FourierTerms gaussian_terms(double z2, std::size_t D);

/// Rows of the fixed norm sqrt(D) and uniform direction: with L(t) = E cos(t u_1) of a uniform direction u in R^D,
/// s = sqrt(D z2) and b = L(s),
///   variance (1 + L(2s))/2 - b^2,   covariance (L(s sqrt(2+2c)) + L(s sqrt(2-2c)))/2 - b^2,   bias b - e^{-z2/2}
/// (Yu et al., ORF', with the corrected remainder). The bias is about -z2^2 e^{-z2/2} / (4D).
/// All three are of order z2^2 for small z2. Relative error 1e-16 max(100, z2) where 8 D z2 is below the square of the
/// first zero of L (z2 < 0.35 for D = 2, z2 < D/32 for large D; for the covariance relative to the larger of its values
/// at c and at 0, as it vanishes where c^2 D = 1), absolute error 2e-16 max(10, sqrt(z2)) beyond; the bias keeps its
/// digits four times as far. In whole orthogonal blocks variance + (D-1) covariance(0) is of order z2^4, below the
/// errors of its terms for small z2. Cost 2 us; beyond, 20 + 4 sqrt(z2) evaluations of a sine for each L.
FourierTerms fixed_norm_terms(double z2, std::size_t D);

/// E cos(w1.z) cos(w2.z) for two such rows whose angle has the cosine c, as conf is for normal rows. Absolute error
/// 2e-16 max(10, sqrt(z2)).
double fixed_norm_conformity(double z2, std::size_t D, double c);

/// Independent rows of any law with E cos(w.z) = k(z), given Var cos(w.z); the covariance is NaN.
FourierTerms independent_terms(double variance);

// Var cos(w.z) = (1 + k(2z))/2 - k(z)^2 = [ (1 - k(z)^2)^2 + k(2z) - k(z)^4 ] / 2 for a shift-invariant kernel
// k(z) = E cos(w.z); the second form loses no digits for small z where the bracket can be simplified. z = x - y in
// units of the lengthscale may have any length. Relative error about 1e-15 (d + 1), for every finite z.

/// laplace, k(z) = exp(-sum |z_l|): k(2z) = k(z)^2, so the variance is (1 - k(z)^2)/2.
double variance_laplace(std::span<const double> z);
/// cauchy, k(z) = prod 1 / (1 + z_l^2).
double variance_cauchy(std::span<const double> z);

}  // namespace bochner::theory
