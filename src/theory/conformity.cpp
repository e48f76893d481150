// SPDX-License-Identifier: Apache-2.0
#include "theory/conformity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "theory/orthogonal_pair.h"
#include "theory/quadrature.h"

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

/// e^{-log_scale} (e^{u+step} - e^u), with the exponential of the larger exponent factored out.
double scaled_step(double u, double step, double log_scale) {
  return step < 0.0 ? std::exp(u - log_scale) * std::expm1(step) : -std::exp(u + step - log_scale) * std::expm1(-step);
}

/// (e^{u+h} + e^{u-h})/2 - e^u = e^{u+h} (1 - e^{-h})^2 / 2, h >= 0, times e^{-log_scale}.
double scaled_spread(double u, double h, double log_scale) {
  const double drop = std::expm1(-h);
  return 0.5 * std::exp(u + h - log_scale) * drop * drop;
}

/// Whether every term, at most e^{v2 (1 + max(c, 0)) - log_scale}, is below the smallest double: the sum is 0.
bool underflows(double v2, double c, double log_scale) { return v2 * (1.0 + std::max(c, 0.0)) - log_scale < -745.0; }

/// log rho_c(v2) - v2 for c > 0, even where v2 leaves no digits for it: by log rho_0(u) = u/2 + (a few log u), and
/// u/2 = (v2/2)(1 + c) - (v2/2) c (1 - sin phi).
double log_rho_beyond(double v2, std::size_t d, double c) {
  double result = -std::numeric_limits<double>::infinity();
  for (const AngleNode& node : growing_nodes(v2, d, c)) {
    const double rest = log_rho_rest_orthogonal(v2 * node.stretch(c), d);
    result = log_add(result, node.log_weight + rest - v2 / 2.0 * c * node.versine);
  }
  return result - v2 / 2.0 * (1.0 - c);
}

/// rho_paired_difference where rho_paired and e^{v2} are far apart, so that nothing cancels; a = |c|, gap = 1 - e^{-v2}
/// rho_0(v2).
double paired_difference_far(double v2, std::size_t d, double a, double log_scale, double gap) {
  const double unit = std::exp(v2 - log_scale);
  // rho_paired_c(v2) <= rho_0(v2 (1+a)).
  if (log_rho_orthogonal(v2 * (1.0 + a), d) < v2 - 40.0) return -unit;
  const double high = std::exp(log_rho_beyond(v2, d, a) + (v2 - log_scale)) / 2.0;
  // rho_{-a}(v2) <= rho_0(v2) = (1 - gap) e^{v2}.
  return high + (gap < 1.0 ? std::exp(log_rho(v2, d, -a) - log_scale) / 2.0 : 0.0) - unit;
}

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
  // rho_c <= rho_0 for c < 0.
  if (c < 0.0 && rho_gap_orthogonal(v2, d) == 1.0) return -std::exp(v2 - log_scale);
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
  // For a large gap, the gaps at v2 (1+a) would cancel against the spread.
  const double gap = rho_gap_orthogonal(v2, d);
  if (gap > 0.5) return paired_difference_far(v2, d, a, log_scale, gap);
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
