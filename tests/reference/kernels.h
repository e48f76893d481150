// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bochner/parameters.h"

namespace bochner::reference {

/// sigma of coordinate l.
inline double lengthscale_at(std::span<const double> lengthscale, std::size_t l) {
  return lengthscale.size() == 1 ? lengthscale[0] : lengthscale[l];
}

/// nu of the Matern kernel, 3/2 unless given.
inline double smoothness(const Parameters& parameters) {
  const auto nu = parameters.find("nu");
  return nu == parameters.end() ? 1.5 : std::get<double>(nu->second);
}

/// 2^{1-nu} / Gamma(nu) t^nu K_nu(t), t = sqrt(2 nu) r.
inline long double matern(long double nu, long double r) {
  const long double t = std::sqrt(2 * nu) * r;
  if (t == 0) return 1;
  return 2 * std::pow(t / 2, nu) / boost::math::tgamma(nu) * boost::math::cyl_bessel_k(nu, t);
}

/// 1 - 2 theta / pi by the parts of b along and across a; a zero vector has a right angle to every other one.
inline long double angular(const std::vector<long double>& a, const std::vector<long double>& b) {
  long double aa = 0, bb = 0, ab = 0, across = 0;
  for (std::size_t l = 0; l < a.size(); ++l) aa += a[l] * a[l], bb += b[l] * b[l], ab += a[l] * b[l];
  if (aa == 0 || bb == 0) return aa == bb ? 1 : 0;
  for (std::size_t l = 0; l < a.size(); ++l) across += (b[l] - ab / aa * a[l]) * (b[l] - ab / aa * a[l]);
  return 1 - 2 / std::numbers::pi_v<long double> * std::atan2(std::sqrt(across), ab / std::sqrt(aa));
}

/// k(x, y) straight from its formula, in long double. T is float or double.
template <class T>
long double kernel(std::string_view name, std::span<const T> x, std::span<const T> y,
                   std::span<const double> lengthscale, const Parameters& parameters = {}) {
  long double difference = 0;
  long double product = 0;
  std::vector<long double> u, v;
  long double city_block = 0;
  long double cauchy = 1;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const long double sigma = lengthscale_at(lengthscale, l);
    const long double a = static_cast<long double>(x[l]) / sigma;
    const long double b = static_cast<long double>(y[l]) / sigma;
    difference += (a - b) * (a - b);
    product += a * b;
    u.push_back(a);
    v.push_back(b);
    city_block += std::abs(a - b);
    cauchy /= 1 + (a - b) * (a - b);
  }
  if (name == "gaussian") return std::exp(-difference / 2);
  if (name == "softmax") return std::exp(product);
  if (name == "laplace") return std::exp(-city_block);
  if (name == "cauchy") return cauchy;
  if (name == "matern") return matern(smoothness(parameters), std::sqrt(difference));
  if (name == "angular") return angular(u, v);
  throw std::invalid_argument("no reference for kernel " + std::string(name));
}

}  // namespace bochner::reference
