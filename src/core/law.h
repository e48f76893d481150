// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/stream.h"

namespace bochner {

/// How a map turns projections into an estimate of a kernel, and so which law the rows of W need:
///   fourier      E cos(w.(x-y)): w has the spectral law of the kernel
///   exponential  E exp(w.(x+y)): w is N(0, I) for every norm of x + y, so norms of rows must be random
///   monomial     E prod (x_l y_l)^{w_l} / ...: w are whole numbers >= 0, of the law that the map names
///   sign         E sgn(w.x) sgn(w.y): w has any isotropic law
enum class Family { fourier, exponential, monomial, sign };

/// The distribution of one row of W. A coupling makes rows depend on each other but leaves each of them with this law.
/// An isotropic law is radius x uniform direction, so it can be drawn on given directions; a product law has
/// independent coordinates, so it can be drawn from points of the unit cube.
struct Law {
  std::string_view name;
  bool isotropic;
  bool product;
  /// Norm of row `row` in R^d; empty unless isotropic.
  std::function<double(std::uint64_t seed, std::uint64_t row, std::size_t d)> radius;
  /// Row `row`, all d coordinates.
  std::function<void(std::uint64_t seed, std::uint64_t row, std::span<double> out)> fill_row;
  /// Inverse distribution function of a coordinate on (0, 1); empty unless product.
  std::function<double(double u)> quantile;
  bool symmetric = true;  ///< w_l and -w_l have the same law
};

/// N(0, I): the spectral law of the Gaussian kernel, and what every exponential map needs.
Law normal_law();

/// Independent Cauchy(1) coordinates, E cos(w.z) = exp(-sum |z_l|). |w_l| < 2.9e15.
Law cauchy_law();

/// Independent Laplace(1) coordinates, density e^{-|w_l|} / 2, E cos(w.z) = prod 1 / (1 + z_l^2).
Law laplace_law();

/// Multivariate t with 2 nu degrees of freedom, nu > 0: N(0, I) / sqrt(chi2_{2 nu} / (2 nu)) with one chi2 per row, so
/// that E cos(w.z) is the Matern kernel. Its tail P(|w| > r) ~ r^{-2 nu} leaves the range of float for small nu, so a
/// power of 2 brings factors 1 / sqrt(chi2 / (2 nu)) above 2^60 back below 2^61. Their phases w.z are random to every
/// digit for |z| > 2^-50, so the kernel changes by less than 2^-9 P(factor > 2^60) (1e-20 at nu = 1/2) there, and by
/// less than that probability elsewhere.
Law student_law(double nu);

// Exponents of monomials: independent whole numbers >= 0.

/// P(k) = e^{-rate} rate^k / k!, 0 < rate <= 1e6.
Law poisson_law(double rate);

/// P(k) = p (1 - p)^k, 0 < p < 1.
Law geometric_law(double p);

}  // namespace bochner
