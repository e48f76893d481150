// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace bochner::theory {

/// A quadrature node of phi, where |w1| : |w2| = cos(phi/2) : sin(phi/2) for two independent chi_d norms; phi has
/// density ~ sin^{d-1} phi on (0, pi). psi = phi - pi/2, folded to psi > 0 by symmetry.
struct AngleNode {
  double weight;      ///< the weights of all nodes add up to 1
  double log_weight;  ///< kept separately because a tilt may lift weights that underflow
  double cosine;      ///< cos psi = sin phi, in (0, 1)
  double versine;     ///< 1 - cos psi without cancellation

  /// 1 + c sin phi, without cancellation at c = -1.
  double stretch(double c) const { return (1.0 + c) - c * versine; }
};

/// How fast the integrand f varies.
struct AngleScale {
  double rate;  ///< |d log f / d cos psi| <= rate
  double tilt;  ///< f(psi) <= f(0) e^{tilt (1 - cos psi)}; 0 for an integrand that is largest at psi = 0
};

/// Composite Gauss-Legendre nodes (20 per panel of 6 standard deviations of the sharpest possible peak); nodes with a
/// tilted weight below e^{-50} are dropped. Relative quadrature error about 1e-15 for d >= 2.
/// 40 to 80 nodes while rate <= d; beyond that 40 + 20 log(rate/d) without tilt, 20 tilt/sqrt(d) with tilt.
std::vector<AngleNode> angle_nodes(std::size_t d, AngleScale scale);

/// A node of the trapezoidal rule in log G.
struct GammaNode {
  double weight;
  double log_value;
};

/// E f(log G), G ~ Gamma(shape), as a sum over nodes. The integrand is analytic in a strip of half width pi/2 for the f
/// that occur, so the rule with step 1/5 (half a standard deviation where that is less) has relative error below 1e-14.
struct GammaRule {
  std::vector<GammaNode> nodes;  ///< in descending order of log_value
  double rest;                   ///< the weight of everything below the last node; it and the weights add up to 1
};

/// Nodes down to `lowest` or to a relative density of e^-90, whichever comes first: for shape -> 0 the law spreads over
/// 90/shape units, on most of which f is constant. The rest is the geometric series of the nodes left out.
GammaRule gamma_rule(double shape, double lowest);

}  // namespace bochner::theory
