// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "simd/exponents.h"
#include "simd/panel_product.h"
#include "tasks/attention_features.h"

namespace bochner {

/// Rows of a chunk, cut at multiples of this number: their products stay in L2, and a sum over chunks has so few terms
/// that float is enough for any length. A multiple of the rows of a tile.
inline constexpr std::size_t kChunk = 96;

/// Sizes of the panels of simd/panel_product.h in which sums, values and results are kept.
template <class T>
struct PanelSizes {
  PanelSizes(std::size_t features, std::size_t width)
      : outputs(features),
        rows((features + simd::kProductRows - 1) / simd::kProductRows * simd::kProductRows),
        values(width),
        columns(simd::panel_columns<T>()),
        panels((width + columns - 1) / columns) {}
  std::size_t outputs;  ///< features
  std::size_t rows;     ///< the same, in whole tiles
  std::size_t values;   ///< length of a value
  std::size_t columns, panels;
};

/// What queries need to know of keys: sum_i phi_j(k_i) e^{-r_j} v_i and sum_i phi_j(k_i) e^{-r_j} for every feature j,
/// relative to its reference exponent r_j. Sums have two levels, `recent` for the keys of the last chunk and `total`
/// for those before, so that errors grow with the square root of the number of chunks.
template <class T>
class KeySums {
 public:
  KeySums(const PanelSizes<T>& sizes, const HeadFeatures& head);

  /// A key may exceed a reference by this much: e^20 = 5e8 leaves room for any length in float.
  static constexpr T kThreshold = 20;

  /// Exponents of a key relative to the references.
  simd::Exponents<T> key_exponents(double log_factor) const {
    return {slope_, key_offset_, static_cast<T>(log_factor - base_)};
  }
  /// Exponents of a query, to be multiplied by these sums.
  simd::Exponents<T> query_exponents(T shift) const { return {slope_, query_offset_, shift}; }

  /// Whether this key (its Z and log factor) exceeds a reference by more than the threshold.
  bool exceeded(std::span<const T> key, double log_factor) const;
  /// Makes this key the reference of the features in which it does; sums are scaled. Queries need `prepare` before.
  void raise(std::span<const T> key, double log_factor);
  /// Follows changed references for queries.
  void prepare();

  /// Adds `count` keys to `recent`: rows of features at distance sizes.rows, values in panels at distance `panel_step`,
  /// and the sums of the features.
  void add(const T* features, std::size_t count, const T* values, std::size_t panel_step, std::span<const T> mass);
  /// `recent` joins `total`: the end of a chunk.
  void settle();
  /// Adds the keys of another part; both settled.
  void merge(const KeySums& later);

  const PanelSizes<T>& sizes() const { return sizes_; }
  const T* total() const { return total_.data(); }
  const T* recent() const { return recent_.data(); }
  bool has_recent() const { return has_recent_; }
  std::span<const T> total_mass() const { return total_mass_; }
  std::span<const T> recent_mass() const { return recent_mass_; }

 private:
  /// Below any exponent: the feature has not met a key.
  static constexpr double kNone = -1e30;

  void set_reference(std::size_t j, double reference);
  void scale(std::size_t j, double factor);

  PanelSizes<T> sizes_;
  T slope_;
  std::vector<double> offset_;
  std::vector<double> reference_;
  double base_ = 0;  ///< log factor of the first key, so that exponents are small numbers in T
  bool started_ = false;
  std::vector<T> key_offset_, query_offset_;
  Matrix<T> total_, recent_;
  std::vector<T> total_mass_, recent_mass_;
  bool has_recent_ = false;
};

}  // namespace bochner
