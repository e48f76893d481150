// SPDX-License-Identifier: Apache-2.0
#include "tasks/trust_region.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "simd/arrays.h"

namespace bochner {
namespace {

/// Products with H for one step, each as dear as an evaluation of the function.
constexpr std::size_t kMostProducts = 1000;
/// Decreases below this part of the value are rounding: the gradient then tells whether a step is one.
constexpr double kNoise = 1e-13;

using Vector = std::vector<double>;

double dot(std::span<const double> x, std::span<const double> y) { return simd::dot<double>(x, y); }
double norm(const Vector& x) { return std::sqrt(dot(x, x)); }

void add(double factor, const Vector& x, Vector& to) {
  for (std::size_t i = 0; i < x.size(); ++i) to[i] += factor * x[i];
}

/// x' M y.
double scaled_dot(const Vector& x, const Vector& scale, const Vector& y) {
  Vector product(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) product[i] = scale[i] * y[i];
  return dot(x, product);
}

/// M^-1 r.
Vector preconditioned(const Vector& r, const Vector& scale) {
  Vector z(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = r[i] / scale[i];
  return z;
}

/// t >= 0 with |s + t d|_M = radius.
double way_to_boundary(const Vector& s, const Vector& d, const Vector& scale, double radius) {
  const double a = scaled_dot(d, scale, d), b = scaled_dot(s, scale, d);
  const double c = std::max(radius * radius - scaled_dot(s, scale, s), 0.0);
  const double root = std::sqrt(b * b + a * c);
  return b > 0 ? c / (b + root) : (root - b) / a;
}

struct Step {
  Vector s;
  double predicted = 0;  ///< decrease of the quadratic model
  bool boundary = false;
  std::size_t products = 0;
};

Step step_within(const SmoothFunction& function, const Vector& x, const SmoothFunction::Point& here, double radius,
                 double wanted) {
  Step step{Vector(x.size(), 0.0)};
  Vector r(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) r[i] = -here.gradient[i];
  Vector z = preconditioned(r, here.scale), d = z;
  double rz = dot(r, z);
  const double enough = wanted * wanted * rz;
  while (rz > enough && step.products < kMostProducts && !step.boundary) {
    const Vector Hd = function.curvature(x, d);
    ++step.products;
    const double bend = dot(d, Hd), limit = way_to_boundary(step.s, d, here.scale, radius);
    step.boundary = !(bend > 0) || rz / bend >= limit;
    const double length = step.boundary ? limit : rz / bend;
    add(length, d, step.s);
    add(-length, Hd, r);
    z = preconditioned(r, here.scale);
    const double before = std::exchange(rz, dot(r, z));
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = z[i] + rz / before * d[i];
  }
  step.predicted = 0.5 * (dot(step.s, r) - dot(step.s, here.gradient));
  return step;
}

double next_radius(double radius, double ratio, double length, bool boundary) {
  if (!(ratio >= 0.25)) return 0.25 * length;
  return ratio > 0.75 && boundary ? 4 * radius : radius;
}

}  // namespace

Minimum minimise(const SmoothFunction& function, std::vector<double> start, double tolerance,
                 std::size_t max_iterations) {
  Minimum result{.x = std::move(start)};
  SmoothFunction::Point here = function.at(result.x);
  if (!std::isfinite(here.value) || !std::isfinite(norm(here.gradient)))
    throw std::runtime_error("the objective is not finite; scale the rows of X down or choose a bounded map");
  result.evaluations = 1;
  const double first = norm(here.gradient);
  double radius = std::sqrt(dot(here.gradient, preconditioned(here.gradient, here.scale)));
  for (;;) {
    result.value = here.value;
    result.gradient = norm(here.gradient);
    result.reached = result.gradient <= tolerance * first;
    if (result.reached || result.iterations == max_iterations) return result;
    const Step step = step_within(function, result.x, here, radius, std::min(0.1, std::sqrt(result.gradient / first)));
    Vector trial = result.x;
    add(1, step.s, trial);
    SmoothFunction::Point there = function.at(trial);
    ++result.iterations;
    result.evaluations += step.products + 1;
    const double actual = here.value - there.value, length = std::sqrt(scaled_dot(step.s, here.scale, step.s));
    const bool rounding = std::max(std::fabs(actual), step.predicted) <= kNoise * std::fabs(here.value);
    const bool better = rounding ? norm(there.gradient) < result.gradient : actual > 1e-4 * step.predicted;
    if (!rounding) radius = next_radius(radius, actual / step.predicted, length, step.boundary);
    if (better) {
      result.x = std::move(trial);
      here = std::move(there);
    } else if (rounding || !(radius > 0)) {
      return result;
    }
  }
}

}  // namespace bochner
