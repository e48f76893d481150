// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bochner/linear_classifier.h"

namespace bochner {

// One row: `label` is its class, scores are f, one for each function (linear_classifier.h).

/// weight loss(f). Writes its gradient and the diagonal of its second derivatives.
double loss_at(ClassifierLoss loss, std::size_t label, double weight, std::span<const double> scores,
               std::span<double> slopes, std::span<double> curvatures);

/// v = weight (second derivatives) v. Those of the squared hinge where it has two, at y f = 1, are those on the right.
void apply_curvature(ClassifierLoss loss, std::size_t label, double weight, std::span<const double> scores,
                     std::span<double> v);

/// 1 / (1 + exp(-f)), no overflow.
double logistic_function(double score);
/// p_k = exp(f_k) / sum, no overflow; p may be f. Returns log sum_k exp(f_k).
double softmax_of(std::span<const double> scores, std::span<double> p);

}  // namespace bochner
