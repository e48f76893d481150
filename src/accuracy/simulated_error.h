// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner {

/// For each seed in turn: draws the features of the spec with this seed and calls visit(squares),
/// squares[i] = (phi(x_i).phi(y_i) - kernel[i])^2. Rows are processed in blocks, so that no matrix of all features
/// exists; the same bits for any number of threads.
void simulate_errors(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                     std::span<const double> kernel, std::span<const std::uint64_t> seeds,
                     const std::function<void(std::span<const double> squares)>& visit);

/// The mean of numbers that arrive one after the other, and its standard error (Welford's recurrence).
class RunningMean {
 public:
  void add(double value) {
    ++count_;
    const double before = value - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (value - mean_);
  }
  double mean() const { return mean_; }
  /// Needs at least two numbers.
  double standard_error() const {
    const double n = static_cast<double>(count_);
    return std::sqrt(squares_ / (n * (n - 1.0)));
  }

 private:
  std::size_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;
};

}  // namespace bochner
