// SPDX-License-Identifier: Apache-2.0
#include "theory/hybrid.h"

#include <cmath>
#include <numbers>

namespace bochner::theory {
namespace {

/// weight x error; a weight of 0 gives 0 even for an infinite error.
double weighted(double weight, double error) { return weight == 0.0 ? 0.0 : weight * error; }

/// e^{2q} (1 - e^{-4q}).
double relative_bracket(double q) { return -std::exp(2.0 * q) * std::expm1(-4.0 * q); }

}  // namespace

CoefficientMoments angular_coefficient(const Angle& angle, std::size_t n) {
  const double t = angle.fraction, u = angle.rest, inverse = 1.0 / static_cast<double>(n);
  return {t, t * (t + inverse * u), u * (u + inverse * t), t * u * (1.0 - inverse)};
}

CoefficientMoments gaussian_coefficient(double z2, double sigma, std::optional<double> r, double V) {
  const double rho0 = r ? -std::expm1(-2.0 * sigma * sigma * *r * *r) : 1.0;
  const double lambda = -std::expm1(-sigma * sigma * z2 / 2.0) / rho0;
  const double variance = V / (rho0 * rho0);
  return {lambda, lambda * lambda + variance, (1.0 - lambda) * (1.0 - lambda) + variance,
          lambda * (1.0 - lambda) - variance};
}

double mse_hybrid(const CoefficientMoments& lambda, double base, double rest, double covariance) {
  return weighted(lambda.square, base) + weighted(lambda.rest_square, rest) + weighted(2.0 * lambda.cross, covariance);
}

double shared_rows_covariance(const PairGeometry& pair, double log_factor, std::size_t m) {
  const double half = std::sin((pair.nx - pair.ny) / 2.0);
  return -2.0 * half * half * std::exp(log_factor - pair.z2) / static_cast<double>(m);
}

double eps_relative(double theta, double r, std::size_t m) {
  const double half = std::sin(theta / 2.0);
  return relative_bracket(r * r * half * half) / std::sqrt(2.0 * static_cast<double>(m));
}

double eps_angular(double theta, double r, std::size_t m, std::size_t n) {
  const double t = theta / std::numbers::pi;
  const CoefficientMoments lambda = angular_coefficient({t, 1.0 - t}, n);
  const double trigonometric = eps_relative(theta, r, m), paired = eps_relative(std::numbers::pi - theta, r, m);
  return std::sqrt(mse_hybrid(lambda, paired * paired, trigonometric * trigonometric));
}

double eps_angular_bound(double r, std::size_t m, std::size_t n) {
  const double inverse = 1.0 / static_cast<double>(n);
  const double root = (1.0 - inverse) / (std::numbers::pi * r * r) + inverse / (std::sqrt(std::numbers::pi) * r);
  return relative_bracket(r * r) * std::sqrt(root / (2.0 * static_cast<double>(m)));
}

}  // namespace bochner::theory
