// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace bochner::theory {

/// A smooth function of log x, tabulated with step 1/50 and interpolated by polynomials of degree 7. Constant to the
/// left of the table, 0 to its right. For e^{-2x} and its like the interpolation error is below 1e-12.
class LogTable {
 public:
  template <class Function>
  LogTable(double first, double last, const Function& of_log) : first_(first) {
    const std::size_t size = static_cast<std::size_t>(std::ceil(std::max(last - first, 0.0) / kStep)) + kPoints;
    values_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) values_.push_back(of_log(first + kStep * static_cast<double>(i)));
  }

  double last() const { return first_ + kStep * static_cast<double>(values_.size() - 1); }

  double at(double log_x) const {
    const double position = (log_x - first_) / kStep;
    const double size = static_cast<double>(values_.size());
    if (position <= 0.0) return values_.front();
    if (position > size - 1.0) return 0.0;
    const double start = std::clamp(std::floor(position) - 3.0, 0.0, size - static_cast<double>(kPoints));
    const double* const points = values_.data() + static_cast<std::size_t>(start);
    const double offset = position - start;
    double sum = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double distance = offset - static_cast<double>(i);
      if (distance == 0.0) return points[i];
      sum += kBarycentric[i] / distance * points[i];
      total += kBarycentric[i] / distance;
    }
    return sum / total;
  }

 private:
  static constexpr double kStep = 0.02;
  static constexpr std::size_t kPoints = 8;
  /// (-1)^i binomial(7, i).
  static constexpr std::array<double, kPoints> kBarycentric = {1, -7, 21, -35, 35, -21, 7, -1};

  double first_;
  std::vector<double> values_;
};

}  // namespace bochner::theory
