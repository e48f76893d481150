// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bochner {

/// A convex function of a vector with a gradient and almost everywhere second derivatives H.
class SmoothFunction {
 public:
  struct Point {
    double value = 0;
    std::vector<double> gradient;
    std::vector<double> scale;  ///< > 0, near to the diagonal of H: the preconditioner
  };

  virtual ~SmoothFunction() = default;
  virtual Point at(std::span<const double> x) const = 0;
  /// H(x) v.
  virtual std::vector<double> curvature(std::span<const double> x, std::span<const double> v) const = 0;
};

struct Minimum {
  std::vector<double> x;
  double value = 0;
  double gradient = 0;  ///< its 2-norm
  std::size_t iterations = 0;
  std::size_t evaluations = 0;  ///< of `at` and `curvature`
  bool reached = false;
};

/// Newton's method from `start`: the step s minimises the quadratic model over |s|_M <= radius, M the diagonal
/// `scale`, by preconditioned conjugate gradients that end at the boundary or at min(0.1, sqrt(g / g0)) of the gradient
/// (Steihaug 1983); the radius follows the ratio of the actual to the predicted decrease. Ends when the norm of the
/// gradient is at most `tolerance` times that at the start, after `max_iterations` steps, or where rounding leaves no
/// further decrease. Deterministic. Throws std::runtime_error when the start has no finite value.
Minimum minimise(const SmoothFunction& function, std::vector<double> start, double tolerance,
                 std::size_t max_iterations);

}  // namespace bochner
