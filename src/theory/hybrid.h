// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "theory/angle.h"
#include "theory/variance.h"

namespace bochner::theory {

// Hybrid estimates lambda base + (1 - lambda) rest, where lambda is itself an estimate, independent of both
// (Choromanski et al., Hybrid Random Features, Theorem 3.1 with the terms of its proof corrected).

/// Moments of an estimated coefficient.
struct CoefficientMoments {
  double mean;         ///< E lambda
  double square;       ///< E lambda^2
  double rest_square;  ///< E (1 - lambda)^2
  double cross;        ///< E lambda (1 - lambda)
};

/// lambda = 1/2 - (1/2n) sum sgn sgn from n independent rows, t = theta/pi: E lambda = t, E lambda^2 = t (t - t/n +
/// 1/n), E (1-lambda)^2 = (1-t)(1-t+t/n), E lambda (1-lambda) = t (1-t)(1-1/n).
CoefficientMoments angular_coefficient(const Angle& angle, std::size_t n);

/// lambda = (1 - G)/rho0, G an unbiased estimate of e^{-sigma^2 z2 / 2} with variance V. rho0 = 1 - e^{-2 sigma^2 r^2}
/// for inputs of norm r, so that lambda is 1 for opposite ones; without r, rho0 = 1.
CoefficientMoments gaussian_coefficient(double z2, double sigma, std::optional<double> r, double V);

/// E lambda^2 base + E (1-lambda)^2 rest + 2 E lambda (1-lambda) covariance: `base` and `rest` are the errors of the
/// two estimates, `covariance` is their covariance.
double mse_hybrid(const CoefficientMoments& lambda, double base, double rest, double covariance = 0.0);

/// Covariance of positive_paired and trigonometric estimates from the same m independent rows:
/// -(K^2/m)(1 - cos(|x|^2 - |y|^2)), K the Gaussian kernel, times e^{log_factor}. Never positive, 0 for equal norms.
double shared_rows_covariance(const PairGeometry& pair, double log_factor, std::size_t m);

// Root mean squared error relative to the softmax kernel at |x| = |y| = r and angle theta, m independent rows.

/// trigonometric: (2m)^{-1/2} e^{2q} (1 - e^{-4q}), q = r^2 sin^2(theta/2); positive_paired is the same at pi - theta.
double eps_relative(double theta, double r, std::size_t m);
/// hybrid_angular with n independent signs.
double eps_angular(double theta, double r, std::size_t m, std::size_t n);
/// A bound on eps_angular for all theta, r >= 1: W/sqrt(2m) sqrt((1-1/n)/(pi r^2) + 1/(n sqrt(pi) r)),
/// W = e^{2r^2}(1 - e^{-4r^2}) (Theorem 3.5 with 1/r in place of 1/r^2 in the second term).
double eps_angular_bound(double r, std::size_t m, std::size_t n);

}  // namespace bochner::theory
