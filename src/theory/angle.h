// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace bochner::theory {

/// The angle theta between two vectors as fractions of pi: t = theta / pi and 1 - t, each to relative error 1e-15.
/// For sgn(0) = +1 a zero vector is at a right angle to all others, and at angle 0 to itself.
struct Angle {
  double fraction;
  double rest;
};

Angle angle_between(std::span<const double> x, std::span<const double> y);

}  // namespace bochner::theory
