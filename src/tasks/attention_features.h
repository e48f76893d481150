// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "bochner/attention.h"
#include "bochner/features.h"

namespace bochner {

/// Features of one head as logarithms, log phi_j(x) = slope Z_j + offset_j + log_factor(x) + a constant, Z and
/// log_factor by Features::transform_log.
struct HeadFeatures {
  const Features* features;
  double slope = 1;
  std::vector<double> offset = {};
  std::optional<double> A = {};  ///< of maps that have one
};

/// The features of all heads: W is drawn once. Those of the optimal maps with another A follow from one A0: their
/// exponents sqrt(1-4A) w.x + A |w|^2 are slope (sqrt(1-4A0) w.x + A0 |w|^2) + offset with slope = sqrt((1-4A)/(1-4A0))
/// and offset = (A - slope A0) |w|^2; constants cancel in attention.
class AttentionFeatures {
 public:
  AttentionFeatures(std::size_t dim, const AttentionOptions& options);
  /// Given features; A, if they have one, counts as given.
  explicit AttentionFeatures(std::unique_ptr<Features> features);

  const Features& features() const { return *features_; }
  /// Whether every head has its own A in bidirectional attention.
  bool per_head() const { return per_head_; }
  HeadFeatures common() const;
  /// The best A for the mean of |x+y|^2 in units of the lengthscale.
  HeadFeatures for_mean_squared_sum(double v2) const;

 private:
  std::unique_ptr<Features> features_;
  bool per_head_ = false;
  std::optional<double> A_;
  std::vector<double> weighted_norms_;  ///< A0 |w_j|^2 of every feature, up to a constant
};

/// scale, or its default; refuses what is not a finite number > 0.
double attention_scale(const AttentionOptions& options, std::size_t dim);

}  // namespace bochner
