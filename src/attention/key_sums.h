// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "attention/attention_features.h"
#include "attention/key_mean.h"
#include "bochner/matrix.h"
#include "simd/exponents.h"
#include "simd/panel_product.h"

namespace bochner {

/// Rows of a chunk, cut at multiples of this number: their products stay in L2, and a sum over chunks has so few terms
/// that float is enough for any length. A multiple of the number of rows of a tile.
inline constexpr std::size_t kChunk = 96;

/// Calls use(first, last) for the chunks of rows [first, last).
template <class Use>
void for_each_chunk(std::size_t first, std::size_t last, const Use& use) {
  for (; first < last; first += kChunk) use(first, std::min(first + kChunk, last));
}

/// Rows of a segment, whose keys are summed separately. The number is fixed, so that results do not depend on the
/// number of threads, and large enough for the sums of its keys to take less memory than its rows and less time than
/// its products.
inline std::size_t segment_rows(std::size_t outputs) {
  return kChunk * std::max<std::size_t>(6, (outputs + kChunk - 1) / kChunk);
}

/// Sizes of the panels of simd/panel_product.h that hold sums, values and results.
template <class T>
struct PanelSizes {
  PanelSizes(std::size_t features, std::size_t width)
      : outputs(features),
        rows((features + simd::kProductRows - 1) / simd::kProductRows * simd::kProductRows),
        values(width),
        columns(simd::panel_columns<T>()),
        panels((width + columns - 1) / columns) {}
  std::size_t outputs;  ///< features
  std::size_t rows;     ///< the same, rounded up to whole tiles
  std::size_t values;   ///< length of a value
  std::size_t columns, panels;
};

/// What queries need to know about keys: sum_i phi_j(k_i) e^{-r_j} v_i and sum_i phi_j(k_i) e^{-r_j} for every feature
/// j, relative to its reference exponent r_j. Sums have two levels, `recent` for the keys of the last chunk and `total`
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
  /// For numbers that are already exponents.
  simd::Exponents<T> plain_exponents() const { return {T(1), zeros_, T(0)}; }

  /// Whether this key (its Z and log factor) exceeds a reference by more than the threshold.
  bool exceeded(std::span<const T> key, double log_factor) const;
  /// The same for a key whose Z is known in double.
  bool exceeded_exactly(std::span<const double> key, double log_factor) const;
  /// Makes this key the reference of the features in which it exceeds the old one, and scales the sums. Call `prepare`
  /// before the next query.
  template <class Z>
  void raise(std::span<const Z> key, double log_factor);

  /// Exponents of a key known in double, relative to the references, and exponents of a query, relative to the largest
  /// one.
  void key_exponents(std::span<const double> key, double log_factor, std::span<T> exponents) const;
  void query_exponents(std::span<const double> query, std::span<T> exponents) const;

  /// The same for signed features, which have one reference in common: a key is a row times exp(log_scale).
  bool scale_exceeded(double log_scale) const { return !started_ || log_scale > reference_[0] + kThreshold; }
  void raise_scale(double log_scale);
  double reference() const { return reference_[0]; }

  /// Updates what queries need after references have changed.
  void prepare();

  /// Adds `count` keys to `recent`: rows of features at distance sizes.rows, values in panels at distance `panel_step`,
  /// and the sums of the features.
  void add(const T* features, std::size_t count, const T* values, std::size_t panel_step, std::span<const T> mass);
  /// Adds `recent` to `total` at the end of a chunk.
  void settle();
  /// Call it after the last chunk has been added and settled.
  void close() { recent_ = Matrix<T>(); }
  /// Adds the keys of another part; both must be settled.
  void merge(const KeySums& later);
  /// Becomes the sums of two parts and is then ready for queries. The first must be settled and the same as in the
  /// previous call.
  void combine(const KeySums& before, const KeySums& later);
  /// After `combine`: e^{r_later - r} for every feature.
  std::span<const T> share_of_later() const { return share_of_later_; }
  KeySums copy() const;

  const PanelSizes<T>& sizes() const { return sizes_; }
  const T* total() const { return total_.data(); }
  const T* recent() const { return recent_.data(); }
  bool has_recent() const { return has_recent_; }
  std::span<const T> total_mass() const { return total_mass_; }
  std::span<const T> recent_mass() const { return recent_mass_; }
  /// The mean of the keys, kept for signed features.
  KeyMean& mean() { return mean_; }
  const KeyMean& mean() const { return mean_; }

 private:
  /// Below any exponent: the feature has not seen a key yet.
  static constexpr double kNone = -1e30;

  double exponent(std::size_t j, double z, double log_factor) const {
    return slope_exactly_ * z + offset_[j] + log_factor;
  }
  void set_reference(std::size_t j, double reference);
  void move_reference(std::size_t j, double reference);
  void follow_references(const KeySums& before, const KeySums& later);
  void add_shares(const KeySums& before, const KeySums& later);
  void scale(std::size_t j, double factor);

  PanelSizes<T> sizes_;
  double slope_exactly_;
  T slope_;
  std::vector<double> offset_;
  std::vector<double> reference_;
  /// The largest log factor among the keys that have been references. It is subtracted so that exponents are small
  /// numbers in T; the log factor of a long key would make the exponents of all others differences of large numbers.
  double base_ = 0;
  bool started_ = false;
  std::uint64_t raises_ = 0;  ///< how often references were raised
  std::vector<T> key_offset_, query_offset_, zeros_;
  Matrix<T> total_, recent_;
  std::vector<T> total_mass_, recent_mass_;
  bool has_recent_ = false;
  KeyMean mean_;
  std::vector<T> share_of_before_, share_of_later_;
  std::uint64_t combined_raises_ = 0;  ///< `raises_` of `later` when the shares were computed
};

}  // namespace bochner
