// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bochner::reference {

/// sigma of coordinate l.
inline double lengthscale_at(std::span<const double> lengthscale, std::size_t l) {
  return lengthscale.size() == 1 ? lengthscale[0] : lengthscale[l];
}

/// k(x, y) straight from its formula, in long double. T is float or double.
template <class T>
long double kernel(std::string_view name, std::span<const T> x, std::span<const T> y,
                   std::span<const double> lengthscale) {
  long double difference = 0;
  long double product = 0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const long double sigma = lengthscale_at(lengthscale, l);
    const long double a = static_cast<long double>(x[l]) / sigma;
    const long double b = static_cast<long double>(y[l]) / sigma;
    difference += (a - b) * (a - b);
    product += a * b;
  }
  if (name == "gaussian") return std::exp(-difference / 2);
  if (name == "softmax") return std::exp(product);
  throw std::invalid_argument("no reference for kernel " + std::string(name));
}

}  // namespace bochner::reference
