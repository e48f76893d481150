// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/math/special_functions/gamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bochner::theory {

using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>>;

struct Conformities {
  Wide rho;
  Wide rho_paired;
  Wide conf;
};

/// The three conformities by their power series, summed as they stand in 100 digits:
///   sum_k (d)_k/(d/2)_k (x/2)^k/k! sum_p binom(k,p) c^p s_p,  s_p = E sin^p phi,  x = u or -u, all p or the even ones.
/// For arguments u up to about 40; O(terms^2).
inline Conformities conformities_by_series(double u, std::size_t d, double c) {
  const Wide dim = static_cast<double>(d);
  const auto terms = static_cast<std::size_t>(8.0 * u + 10.0 * std::sqrt(u) + 60.0);
  std::vector<Wide> inverse_factorial(terms, Wide(1)), angle(terms, Wide(1));
  const Wide gamma_half = boost::math::tgamma(Wide((dim + 1) / 2));
  angle[1] = gamma_half * gamma_half / (boost::math::tgamma(Wide(dim / 2 + 1)) * boost::math::tgamma(Wide(dim / 2)));
  for (std::size_t p = 2; p < terms; ++p) angle[p] = angle[p - 2] * (dim + p - 2) / (dim + p - 1);
  Wide power = 1;
  for (std::size_t p = 0; p < terms; ++p) {
    if (p > 0) inverse_factorial[p] = inverse_factorial[p - 1] / p;
    angle[p] *= power * inverse_factorial[p];
    power *= Wide(c);
  }
  Conformities result{0, 0, 0};
  Wide coefficient = 1;
  for (std::size_t k = 0; k < terms; ++k) {
    Wide moment[2] = {0, 0};
    for (std::size_t p = 0; p <= k; ++p) moment[p % 2] += angle[p] * inverse_factorial[k - p];
    result.rho += coefficient * (moment[0] + moment[1]);
    result.rho_paired += coefficient * moment[0];
    result.conf += (k % 2 == 0 ? 1 : -1) * coefficient * moment[0];
    coefficient *= (dim + k) / (dim + 2 * k) * Wide(u);
  }
  return result;
}

/// log rho_0(v2) - v2/2 for even d: by Kummer 1F1(d; n; x) e^{-x} = sum_{k<=n} prod_{j<k} (n-j)/(n+j) x^k/k!, n = d/2,
/// x = v2/2, positive terms for every v2.
inline Wide log_rho_rest_by_polynomial(double v2, std::size_t d) {
  const std::size_t n = d / 2;
  Wide term = 1, sum = 1;
  for (std::size_t k = 0; k < n; ++k) sum += term *= Wide(v2) / 2 * (n - k) / (Wide(n + k) * (k + 1));
  return log(sum);
}

}  // namespace bochner::theory
