// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/svg.h"

namespace bochner::cli::svg {

/// A data interval laid on a pixel interval.
class Scale {
 public:
  Scale(std::pair<double, double> range, bool log, double from, double to);
  /// Pixel of a value; values outside (or not positive on a logarithmic scale) land on the border.
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

/// The given range, or the smallest one with a margin that holds all values (with their error bars).
std::pair<double, double> range_of(const Axis& axis, const std::vector<double>& values);
/// The given ticks, or: decades (every other of more than eight, 1-2-5 steps below two) on a logarithmic axis, round
/// steps on a linear one.
std::vector<Tick> ticks_of(const Axis& axis, std::pair<double, double> range);

}  // namespace bochner::cli::svg
