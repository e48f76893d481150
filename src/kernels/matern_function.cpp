// SPDX-License-Identifier: Apache-2.0
#include "kernels/matern_function.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace bochner {
namespace {

constexpr std::size_t kTerms = 12;
constexpr double kAsymptotic = 30.0;  // for sqrt(nu^2 + t^2) at least this, the series below has relative error < 1e-15

using Coefficients = std::array<std::array<double, kTerms + 1>, kTerms + 1>;

/// u_k(p) = p^k sum_j c[k][j] p^2j of Debye's expansion, by DLMF 10.41.9:
///   u_{k+1}(p) = p^2 (1 - p^2) u_k'(p) / 2 + (1/8) integral_0^p (1 - 5 s^2) u_k(s) ds.
constexpr Coefficients debye_coefficients() {
  Coefficients c{};
  c[0][0] = 1.0;
  for (std::size_t k = 0; k < kTerms; ++k)
    for (std::size_t j = 0; j <= k; ++j) {
      const double power = static_cast<double>(k + 2 * j);
      c[k + 1][j] += c[k][j] * (power / 2 + 1 / (8 * (power + 1)));
      c[k + 1][j + 1] -= c[k][j] * (power / 2 + 5 / (8 * (power + 3)));
    }
  return c;
}

/// sum_k (-1)^k u_k(p) / nu^k with p = nu / r: times sqrt(pi / 2r) e^{-r} ((nu + r) / t)^nu it is K_nu(t), for r =
/// sqrt(nu^2 + t^2) (DLMF 10.41.4). u_k(p) / nu^k = r^-k sum_j c p^2j, so it also holds for nu -> 0.
double debye_series(double r, double p) {
  static constexpr Coefficients c = debye_coefficients();
  double sum = 0.0;
  for (std::size_t k = kTerms + 1; k-- > 0;) {
    double u = 0.0;
    for (std::size_t j = k + 1; j-- > 0;) u = c[k][j] + p * p * u;
    sum = u - sum / r;
  }
  return sum;
}

/// nu >= 30: Stirling's series for Gamma(nu) is the one above at p = 1, so all large terms have been cancelled by hand:
///   log k = -nu (e - log(1 + e/2)) - log(q)/2 + log(series(p) / series(1)),
///   q = sqrt(1 + 2 distance^2 / nu), e = q - 1.
double large_order(double nu, double distance) {
  const double s = std::sqrt(2.0 / nu) * distance;
  const double q = std::hypot(1.0, s);
  const double e = s * (s / (1.0 + q));
  const double exponent = -nu * (e - std::log1p(e / 2.0)) - std::log(q) / 2.0;
  return std::exp(exponent) * (debye_series(nu * q, 1.0 / q) / debye_series(nu, 1.0));
}

/// nu < 30 and sqrt(nu^2 + t^2) >= 30.
double large_argument(double nu, double t) {
  const double r = std::hypot(nu, t);
  const double exponent = (1.0 - nu) * std::numbers::ln2 - boost::math::lgamma(nu) +
                          std::log(std::numbers::pi / (2.0 * r)) / 2.0 + (nu * std::log(nu + r) - r);
  return std::exp(exponent) * debye_series(r, nu / r);
}

double by_bessel(double nu, double t) {
  // 1 - k < t^2 (1 + log(1/t)) for nu >= 1 and t^2 / 4 for nu >= 2; K_nu would overflow for large nu.
  if (t == 0.0 || (nu >= 1.0 && t < 1e-9) || (nu >= 2.0 && t < 1e-8)) return 1.0;
  return 2.0 * std::pow(t / 2.0, nu) / boost::math::tgamma(nu) * boost::math::cyl_bessel_k(nu, t);
}

/// nu = p + 1/2: e^{-t} times a polynomial of degree p (DLMF 10.49.12), at a hundredth of the cost. t < 700, nu < 30.
double by_polynomial(double nu, double t) {
  const double p = nu - 0.5;
  double term = 1.0;
  double sum = 1.0;
  for (double j = 0.0; j < p; j += 1.0) {
    term *= 2.0 * t * (p - j) / ((2.0 * p - j) * (j + 1.0));
    sum += term;
  }
  return std::exp(-t) * sum;
}

}  // namespace

double matern_function(double nu, double distance) {
  if (nu >= kAsymptotic) return std::min(1.0, large_order(nu, distance));
  const double t = std::sqrt(2.0 * nu) * distance;
  if (nu - 0.5 == std::floor(nu) && t < 700.0) return std::min(1.0, by_polynomial(nu, t));
  return std::min(1.0, nu * nu + t * t >= kAsymptotic * kAsymptotic ? large_argument(nu, t) : by_bessel(nu, t));
}

}  // namespace bochner
