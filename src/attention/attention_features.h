// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "bochner/attention.h"
#include "bochner/features.h"

namespace bochner {

/// Features of one head as logarithms, log phi_j(x) = slope Z_j + offset_j + log_factor(x) + a constant, where Z and
/// log_factor come from Features::transform_log; or, for maps that are not positive, signed numbers from
/// Features::transform.
struct HeadFeatures {
  const Features* features = nullptr;
  double slope = 1;
  std::vector<double> offset = {};
  std::optional<double> A = {};  ///< for maps that have one
  bool is_signed = false;
  /// Whether offsets are so large that exponents in float would have too large rounding errors.
  bool exact = false;
  /// |Z_j| <= at_origin + by_length |x|, |x| in lengthscales, where log_factor = log_factor_at_origin - |x|^2/2;
  /// infinity where no such bound is known.
  struct Bound {
    double at_origin = std::numeric_limits<double>::infinity(), by_length = 0, log_factor_at_origin = 0;
  };
  Bound bound = {};
  /// What masked keys are replaced by, a row that the map accepts: its `shift`; empty: zeros.
  std::vector<double> blank = {};
  /// Whether `blank` comes from the rows. Queries that do not count may then lie below it, and are raised to it.
  bool raises_padding = false;
  std::shared_ptr<const Features> owner = nullptr;  ///< owns features that belong to this head alone
};

/// Exponents beyond this are computed in double where T is float: 64 has an ulp of 7.6e-6.
inline constexpr double kLargestExponent = 64;

/// The features of all heads: W is drawn once. Features of the optimal maps with another A follow from one A0: their
/// exponents sqrt(1-4A) w.x + A |w|^2 are slope (sqrt(1-4A0) w.x + A0 |w|^2) + offset with slope = sqrt((1-4A)/(1-4A0))
/// and offset = (A - slope A0) |w|^2; constants cancel in attention.
class AttentionFeatures {
 public:
  AttentionFeatures(std::size_t dim, const AttentionOptions& options);
  /// Takes given features; their A, if they have one, counts as given.
  explicit AttentionFeatures(std::unique_ptr<Features> features);

  const Features& features() const { return *features_; }
  /// Whether every head has its own A in bidirectional attention.
  bool per_head() const { return per_head_; }
  HeadFeatures common() const;
  /// Features with the best A for the mean of |x+y|^2 in units of the lengthscale.
  HeadFeatures for_mean_squared_sum(double v2) const;
  /// Whether parameters other than A come from the rows of each head.
  bool fits_rows() const { return !features_->fitted(); }
  /// Whether `shift` is one of them.
  bool fits_shift() const;
  /// Features with parameters from these rows.
  template <class T>
  HeadFeatures fitted_to(MatrixView<const T> queries, MatrixView<const T> keys) const;

 private:
  void find_bound();

  std::unique_ptr<Features> features_;
  bool per_head_ = false, signed_ = false;
  std::optional<double> A_;
  std::vector<double> squared_norms_;  ///< |w_j|^2 of every feature
  HeadFeatures::Bound bound_ = {};
};

}  // namespace bochner
