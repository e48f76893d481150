// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/svg.h"

namespace bochner::cli::svg {

/// Maps an interval of data to an interval of pixels.
class Scale {
 public:
  Scale(std::pair<double, double> range, bool log, double from, double to);
  /// The pixel of a value; values outside (or not positive on a logarithmic scale) fall on the border.
  double operator()(double value) const;

 private:
  double low_, high_;
  bool log_;
  double from_, to_;
};

struct Tick {
  double value;
  std::string label;  ///< SVG text; empty for a minor tick
};

/// The given range, or the smallest one that holds all values (with their error bars) and a margin.
std::pair<double, double> range_of(const Axis& axis, const std::vector<double>& values);
/// The given ticks. If there are none: decades on a logarithmic axis (every other one of more than eight, 1-2-5 steps
/// below two), round steps on a linear axis.
std::vector<Tick> ticks_of(const Axis& axis, std::pair<double, double> range);

}  // namespace bochner::cli::svg
