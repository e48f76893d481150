// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

/// A sum of convex functions, each of its own part of a vector. Parts have equal length. There are gradients and,
/// almost everywhere, second derivatives H. One evaluation serves all parts, but each part is minimised on its own.
class SmoothFunction {
 public:
  struct Point {
    std::vector<double> values;  ///< one per part
    std::vector<double> gradient;
    std::vector<double> scale;  ///< > 0, close to the diagonal of H: the preconditioner
    /// What the function stores per part for products with H at this point; each may be empty.
    std::vector<std::vector<std::uint64_t>> marks;
    std::vector<std::vector<double>> numbers;
  };

  virtual ~SmoothFunction() = default;
  virtual std::size_t parts() const = 0;
  virtual Point at(std::span<const double> x) const = 0;
  /// Values at x + t s for every t of `lengths`: parts x lengths.
  virtual Matrix<double> along(std::span<const double> x, std::span<const double> s,
                               std::span<const double> lengths) const = 0;
  /// H(x) v; `here` is what `at` returned for x, part by part.
  virtual std::vector<double> curvature(std::span<const double> x, const Point& here,
                                        std::span<const double> v) const = 0;
};

struct Minimum {
  std::vector<double> x;
  double value = 0;
  double gradient = 0;  ///< its 2-norm
  std::size_t iterations = 0;
  std::size_t evaluations = 0;  ///< of `at`, `along` and `curvature`
  bool reached = false;
};

/// Newton's method from `start`, for every part: the step s minimises the quadratic model over |s|_M <= radius, where M
/// is the diagonal `scale`, by preconditioned conjugate gradients that end at the boundary or at min(0.1, sqrt(g / g0))
/// of the gradient (Steihaug 1983). The radius follows the ratio of the actual to the predicted decrease. A step that
/// gains less than a quarter of the predicted decrease is shortened to the best of 1/2, 1/4, ... of its length (Nocedal
/// & Yuan 1998): if a loss has no curvature beyond its kink, the quadratic model does not see what lies behind it. A
/// part ends when the norm of its gradient is at most its tolerance times that at the start, or when rounding leaves no
/// further decrease; all parts end after `max_iterations` steps. `progress` is called after each evaluation with
/// iterations, evaluations and the largest gradient / (tolerance gradient at the start) of the parts. Deterministic.
/// Throws std::invalid_argument if the start has no finite value.
Minimum minimise(const SmoothFunction& function, std::vector<double> start, std::span<const double> tolerances,
                 std::size_t max_iterations,
                 const std::function<void(std::size_t, std::size_t, double)>& progress = {});

}  // namespace bochner
