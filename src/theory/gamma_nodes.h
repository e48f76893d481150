// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace bochner::theory {

/// A node of the trapezoidal rule in log G.
struct GammaNode {
  double weight;
  double log_value;
};

/// E f(log G), G ~ Gamma(shape), as a sum over nodes. The integrand is analytic in a strip of half width pi/2 for the f
/// that occur, so the rule with step 1/5 (half a standard deviation where that is less) has relative error below 1e-14.
struct GammaRule {
  std::vector<GammaNode> nodes;  ///< log_value falls
  double rest;                   ///< weight of all that is below the last node; the weights and this add up to 1
};

/// Nodes down to `lowest` or to a relative density of e^-90, whichever comes first: for shape -> 0 the law spreads over
/// 90/shape units, on most of which f is constant. The rest is the geometric series of the nodes left out.
GammaRule gamma_rule(double shape, double lowest);

}  // namespace bochner::theory
