// SPDX-License-Identifier: Apache-2.0
// Closed forms over the range that theory.h promises: |x+y|^2 and |x-y|^2 from 1e-12 to 1e3, d from 2 to 1e5.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "bochner/registry.h"
#include "bochner/theory.h"

namespace bochner::theory {
namespace {

/// Every map of the exponential and Fourier families that needs no data, with the parameters whose formulas differ.
std::vector<Spec> specs(std::size_t d, std::size_t m) {
  const std::vector<std::pair<const char*, Parameters>> maps = {
      {"trigonometric", {}},
      {"cosine", {}},
      {"positive", {}},
      {"positive_paired", {}},
      {"optimal_positive", {{"A", -0.3}}},
      {"optimal_positive_paired", {{"A", -0.3}}},
      {"exponential", {{"A", 0.01}, {"s", -1.0}}},
      {"exponential", {{"A", std::complex<double>(-0.1, 0.05)}, {"s", 1.0}}},
      {"complex_exponential", {{"A", std::vector<double>(d, 1.1)}}},
      {"hybrid_angular", {}},
      {"hybrid_gaussian", {{"radius", 1.0}}},
  };
  std::vector<Spec> all;
  for (const auto& [map, parameters] : maps)
    for (const char* coupling : {"iid", "orthogonal", "simplex", "orthogonal_fixed"})
      if (misfit("gaussian", map, coupling, d).empty())
        all.push_back({.d = d, .map = map, .coupling = coupling, .m = m, .parameters = parameters});
  return all;
}

/// x + y along one axis, x - y along another.
void expect_stable(const Spec& gaussian, double v2, double z2) {
  std::vector<double> x(gaussian.d, 0.0), y(gaussian.d, 0.0);
  x[0] = y[0] = std::sqrt(v2) / 2;
  x[1] = std::sqrt(z2) / 2, y[1] = -x[1];
  Spec softmax = gaussian;
  softmax.kernel = "softmax";
  const double error = mse(gaussian, x, y), relative = relative_error(gaussian, x, y), sm = mse(softmax, x, y);
  const std::string where = gaussian.map + ' ' + gaussian.coupling + ' ' + std::to_string(gaussian.d) + ' ' +
                            std::to_string(v2) + ' ' + std::to_string(z2);
  ASSERT_TRUE(error >= 0 && relative >= 0 && sm >= 0) << where;
  // Logarithms of the error by three ways; any of them may leave the range of double.
  const double log_factor = (v2 + z2) / 2, log_k2 = -z2, digits = 1e-15 * std::max({100.0, v2, z2});
  const bool normal = error > 1e-290 && std::isfinite(error);
  if (normal && std::isfinite(sm)) {
    ASSERT_NEAR(std::log(sm), std::log(error) + log_factor, digits) << where;
  }
  if (!std::isfinite(relative)) return;
  const double log_error = 2 * std::log(relative) + log_k2, log_largest = std::log(1.7e308);
  if (normal) {
    ASSERT_NEAR(log_error, std::log(error), digits) << where;
  }
  if (std::isinf(error)) {
    ASSERT_GT(log_error, log_largest) << where;
  }
  if (std::isinf(sm)) {
    ASSERT_GT(log_error + log_factor, log_largest) << where;
  }
}

TEST(Stability, OfEveryClosedForm) {
  for (const std::size_t d : {2u, 3u, 64u, 1000u, 100000u}) {
    const std::size_t m = d <= 64 ? 2 * d + 3 : 3;
    for (const Spec& spec : specs(d, m))
      for (const double v2 : {1e-12, 1e-5, 1e-1, 4.0, 1e2, 1e3})
        for (const double z2 : {1e-12, 1e-5, 1e-1, 4.0, 1e2, 1e3}) {
          if (d == 100000 && v2 != z2 && v2 * z2 > 1e-15) continue;  // long rows take their time
          expect_stable(spec, v2, z2);
          if (HasFatalFailure()) return;
        }
  }
}

}  // namespace
}  // namespace bochner::theory
