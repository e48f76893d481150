// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bochner::theory {

// Features of random monomials (Likhosherstov et al., Chefs' Random Tables, discretely-induced features): exponents k_l
// are independent with the law P(k), f(x) = e^{-|x|^2/2} prod_l x_l^{k_l} (k_l! P(k_l))^{-1/2}. E f(x) f(y) is the
// Gaussian kernel K, and e^{|x|^2+|y|^2} E f(x)^2 f(y)^2 is
//   poisson    exp(rate d + sum_l x_l^2 y_l^2 / rate)
//   geometric  p^{-d} prod_l I_0(2 |x_l y_l| / sqrt(1-p)),   P(k) = p (1-p)^k
// so that E f(x)^2 f(y)^2 = K^2 e^excess with
//   poisson    excess = sum_l (rate - x_l y_l)^2 / rate
//   geometric  excess = sum_l [ -log p + log I_0(2 |x_l y_l| / sqrt(1-p)) - 2 x_l y_l ]
// each term of which is >= 0. Shifting x and y by the same vector does not change the kernel, but it changes the
// excess.

/// log E f(x)^2 f(y)^2.
double log_second_moment_poisson(double rate, std::span<const double> x, std::span<const double> y);
double log_second_moment_geometric(double p, std::span<const double> x, std::span<const double> y);

/// Relative error 1e-15 (1 + excess).
double excess_poisson(double rate, std::span<const double> x, std::span<const double> y);
/// Absolute error 1e-15 of the sum of the absolute terms in brackets.
double excess_geometric(double p, std::span<const double> x, std::span<const double> y);

/// Mean squared error of m independent rows times e^{log_factor}: K^2 (e^excess - 1) / m, computed from its logarithm
/// L. Relative error 1e-15 max(1, |L|, excess); +inf above 1.8e308.
double mse_monomial(double excess, std::span<const double> x, std::span<const double> y, double log_factor,
                    std::size_t m);

/// The rate of least second moment, sqrt(sum_l x_l^2 y_l^2 / d), for sum_l x_l^2 y_l^2 or its mean over data.
double optimal_rate(double sum_of_squared_products, std::size_t d);

/// The p of least second moment for c_l = |x_l y_l| or their means over data: the root in (0, 1) of
///   sum_l c_l (1-p)^{-3/2} I_1(t_l) / I_0(t_l) - d / p,   t_l = 2 c_l / sqrt(1-p),
/// a rising function, by bisection in log(p / (1-p)) on [-45, 45]; relative error 1e-13 of p and of 1 - p. p = 1 if all
/// c_l are 0.
double optimal_p(std::span<const double> products);

}  // namespace bochner::theory
