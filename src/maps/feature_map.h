// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bochner/parameters.h"
#include "bochner/registry.h"
#include "core/data_statistics.h"
#include "core/family.h"
#include "simd/finish.h"
#include "theory/variance.h"

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

/// What a map is made for.
struct MapRequest {
  double norm_exponent;  ///< a of the kernel kappa(x - y) exp(a (|x|^2 + |y|^2))
  std::size_t D;         ///< dimension in which rows are drawn: d, or that of padded inputs
  std::size_t m;
  std::uint64_t seed;
  const Parameters& parameters;             ///< every parameter that the entry declares
  std::span<const double> squared_norms{};  ///< |w_i|^2, if the map asked for them
};

/// What a map chooses parameters from.
struct FitRequest {
  std::size_t D;
  const DataStatistics& queries;  ///< of rows in units of the lengthscale
  const DataStatistics& keys;
};

/// A line of the registry. A new map is a file with such a constant, and a line in maps.def.
struct Map {
  Entry entry;
  std::size_t width;  ///< outputs per random direction
  bool symmetric;     ///< both sides are mapped alike
  Family family;
  /// The closed form of the error, one of the three by family; null where none is known.
  double (*fourier_mse)(const theory::FourierTerms&, double log_factor, const theory::BlockStructure&) = nullptr;
  double (*exponential_mse)(const theory::PairGeometry&, double log_factor, const theory::BlockStructure&,
                            const Parameters&) = nullptr;
  double (*sign_mse)(std::span<const double> x, std::span<const double> y, std::size_t m) = nullptr;  ///< iid rows
  bool uses_norms = false;  ///< MapRequest::squared_norms
  std::unique_ptr<FeatureMap> (*make)(const MapRequest& request);
  /// The parameters that the entry declares without a fallback, from data.
  Parameters (*fit)(const FitRequest& request) = nullptr;
};

/// All maps, in the order of maps.def.
std::span<const Map* const> all_maps();

}  // namespace bochner
