// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bochner/registry.h"
#include "simd/finish.h"

namespace bochner {

/// f of phi(x) = f(W x): what is done to the projections of a block of rows.
class FeatureMap {
 public:
  virtual ~FeatureMap() = default;

  /// f for rows whose squared norms |x|^2 (in units of the lengthscale) are `norms`. `terms` has room for one number
  /// per row, to which the result may point.
  virtual simd::Finish<float> finish(std::span<const float> norms, std::span<float> terms) const = 0;
  virtual simd::Finish<double> finish(std::span<const double> norms, std::span<double> terms) const = 0;
};

/// A line of the registry. A new map is a file with such a constant, and a line in maps.def.
struct Map {
  Entry entry;
  std::size_t width;  ///< outputs per random direction
  bool symmetric;     ///< both sides are mapped alike
  /// Exponential maps estimate exp(x.y) from normal rows; the others take the kernel's own spectral law.
  bool needs_normal_law;
  /// For kernels kappa(x - y) exp(a (|x|^2 + |y|^2)), a = norm_exponent, with m directions.
  std::unique_ptr<FeatureMap> (*make)(double norm_exponent, std::size_t m, std::uint64_t seed);
};

/// All maps, in the order of maps.def.
std::span<const Map* const> all_maps();

}  // namespace bochner
