// SPDX-License-Identifier: Apache-2.0
#include "theory/conformity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "theory/angle_nodes.h"
#include "theory/orthogonal_pair.h"

namespace bochner::theory {
namespace {

double log_add(double a, double b) {
  const double high = std::max(a, b);
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

/// Nodes for an integrand that is a function of v2 (1 + c sin phi) and grows at most as fast as its exponential.
std::vector<AngleNode> growing_nodes(double v2, std::size_t d, double c) {
  const double rate = v2 * std::abs(c);
  return angle_nodes(d, {.rate = rate, .tilt = c < 0.0 ? rate : 0.0});
}

/// e^{-log_scale} (rho_0(u) - e^u).
double scaled_gap(double u, std::size_t d, double log_scale) {
  return -std::exp(u - log_scale) * rho_gap_orthogonal(u, d);
}

/// e^{-log_scale} (e^{u+step} - e^u), the exponential of the larger exponent factored out.
double scaled_step(double u, double step, double log_scale) {
  return step < 0.0 ? std::exp(u - log_scale) * std::expm1(step) : -std::exp(u + step - log_scale) * std::expm1(-step);
}

/// (e^{u+h} + e^{u-h})/2 - e^u = e^{u+h} (1 - e^{-h})^2 / 2, h >= 0, times e^{-log_scale}.
double scaled_spread(double u, double h, double log_scale) {
  const double drop = std::expm1(-h);
  return 0.5 * std::exp(u + h - log_scale) * drop * drop;
}

/// Every term is at most e^{v2 (1 + max(c, 0)) - log_scale}: below the smallest double there is nothing to add up.
bool underflows(double v2, double c, double log_scale) { return v2 * (1.0 + std::max(c, 0.0)) - log_scale < -745.0; }

}  // namespace

double log_rho(double v2, std::size_t d, double c) {
  if (c == 0.0) return log_rho_orthogonal(v2, d);
  double result = -std::numeric_limits<double>::infinity();
  for (const AngleNode& node : growing_nodes(v2, d, c)) {
    result = log_add(result, node.log_weight + log_rho_orthogonal(v2 * node.stretch(c), d));
  }
  return result;
}

double log_rho_paired(double v2, std::size_t d, double c) {
  if (c == 0.0) return log_rho_orthogonal(v2, d);
  return log_add(log_rho(v2, d, c), log_rho(v2, d, -c)) - std::log(2.0);
}

double conf(double z2, std::size_t d, double c) { return conf_difference(z2, d, c) + std::exp(-z2); }

double rho_difference(double v2, std::size_t d, double c, double log_scale) {
  if (underflows(v2, c, log_scale)) return 0.0;
  if (c == 0.0) return scaled_gap(v2, d, log_scale);
  double sum = 0.0;
  for (const AngleNode& node : growing_nodes(v2, d, c)) {
    sum += node.weight *
           (scaled_gap(v2 * node.stretch(c), d, log_scale) + scaled_step(v2, v2 * c * node.cosine, log_scale));
  }
  return sum;
}

double rho_paired_difference(double v2, std::size_t d, double c, double log_scale) {
  const double a = std::abs(c);
  if (underflows(v2, a, log_scale)) return 0.0;
  if (a == 0.0) return scaled_gap(v2, d, log_scale);
  // rho_paired <= rho_0(v2 (1+a)) < 1e-16 e^{v2 (1+a)}; for huge v2 the exponents below would be rounding errors.
  if (rho_gap_orthogonal(v2 * (1.0 + a), d) == 1.0) return -std::exp(v2 - log_scale);
  // Here rho_paired and e^{v2} are far apart, and the gaps at v2 (1+a) would cancel against the spread instead.
  if (rho_gap_orthogonal(v2, d) > 0.5) return std::exp(log_rho_paired(v2, d, a) - log_scale) - std::exp(v2 - log_scale);
  double sum = 0.0;
  for (const AngleNode& node : angle_nodes(d, {.rate = v2 * a, .tilt = 0.0})) {
    const double low = scaled_gap(v2 * node.stretch(-a), d, log_scale);
    const double high = scaled_gap(v2 * node.stretch(a), d, log_scale);
    sum += node.weight * ((low + high) / 2.0 + scaled_spread(v2, v2 * a * node.cosine, log_scale));
  }
  return sum;
}

double conf_difference(double z2, std::size_t d, double c) {
  const double a = std::abs(c);
  if (a == 0.0) return conf_difference_orthogonal(z2, d);
  double sum = 0.0;
  for (const AngleNode& node : angle_nodes(d, {.rate = z2 * a, .tilt = 0.0})) {
    const double high = z2 * node.stretch(a);
    const double low = z2 * node.stretch(-a);
    const double gaps = conf_difference_orthogonal(low, d) + conf_difference_orthogonal(high, d);
    // (e^{-low} + e^{-high})/2 - e^{-z2}, low + high = 2 z2.
    const double drop = std::expm1(-z2 * a * node.cosine);
    sum += node.weight * (gaps / 2.0 + 0.5 * std::exp(-low) * drop * drop);
  }
  return sum;
}

}  // namespace bochner::theory
