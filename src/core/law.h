// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/stream.h"

namespace bochner {

/// The distribution of one row of W. A coupling makes rows depend on each other but leaves each of them with this law.
/// An isotropic law is radius x uniform direction, so it can be drawn on given directions; a product law has
/// independent coordinates, so it can be drawn from points of the unit cube.
struct Law {
  std::string_view name;
  bool isotropic;
  bool product;
  /// Norm of row `row` in R^d; empty unless isotropic.
  std::function<double(std::uint64_t seed, std::uint64_t row, std::size_t d)> radius;
  /// Row `row`, all d coordinates.
  std::function<void(std::uint64_t seed, std::uint64_t row, std::span<double> out)> fill_row;
  /// Inverse distribution function of a coordinate on (0, 1); empty unless product.
  std::function<double(double u)> quantile;
};

/// N(0, I): the spectral law of the Gaussian kernel, and what every exponential map needs.
Law normal_law();

}  // namespace bochner
