// SPDX-License-Identifier: Apache-2.0
#include "core/law.h"

#include <cmath>
#include <memory>

#include "core/exact_math.h"
#include "core/quantiles.h"

namespace bochner {

namespace {

double normal_radius(std::uint64_t seed, std::uint64_t row, std::size_t d) {
  return Stream(seed, Purpose::norms).chi(row, d);
}

void fill_normal_row(std::uint64_t seed, std::uint64_t row, std::span<double> out) {
  Stream(seed, Purpose::iid_entries).fill_normal(row, 0, out);
}

/// A law of independent coordinates, drawn by their inverse distribution function.
template <class Quantile>
Law product_law(std::string_view name, Quantile quantile, bool symmetric) {
  const auto fill_row = [quantile](std::uint64_t seed, std::uint64_t row, std::span<double> out) {
    Stream(seed, Purpose::iid_entries).fill_uniform(row, 0, out);
    for (double& entry : out) entry = quantile(entry);
  };
  return {name, false, true, {}, fill_row, quantile, symmetric};
}

/// x, or from 60 log 2 on, x minus the multiple of log 2 that brings it into [60 log 2, 61 log 2).
double folded(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kLimit = 60.0 * kLn2;
  return x < kLimit ? x : x - std::floor((x - kLimit) / kLn2) * kLn2;
}

/// 1 / sqrt(chi2_{2 nu} / (2 nu)) of a row, chi2_{2 nu} = 2 Gamma(nu).
double student_factor(std::uint64_t seed, std::uint64_t row, double nu) {
  return exact_exp(folded(0.5 * (exact_log(nu) - Stream(seed, Purpose::scales).log_gamma(row, nu))));
}

}  // namespace

Law normal_law() { return {"normal", true, true, normal_radius, fill_normal_row, normal_quantile}; }

Law cauchy_law() { return product_law("cauchy", cauchy_quantile, true); }

Law laplace_law() { return product_law("laplace", laplace_quantile, true); }

Law poisson_law(double rate) {
  // Copies of the law share the table.
  const auto table = std::make_shared<const PoissonQuantile>(rate);
  return product_law(
      "poisson", [table](double u) { return (*table)(u); }, false);
}

Law geometric_law(double p) {
  return product_law(
      "geometric", [log_rest = exact_log1m(p)](double u) { return geometric_quantile(u, log_rest); }, false);
}

Law student_law(double nu) {
  return {"student",
          true,
          false,
          [nu](std::uint64_t seed, std::uint64_t row, std::size_t d) {
            return normal_radius(seed, row, d) * student_factor(seed, row, nu);
          },
          [nu](std::uint64_t seed, std::uint64_t row, std::span<double> out) {
            fill_normal_row(seed, row, out);
            const double factor = student_factor(seed, row, nu);
            for (double& entry : out) entry *= factor;
          },
          {}};
}

}  // namespace bochner
