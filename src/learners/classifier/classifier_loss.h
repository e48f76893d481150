// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bochner/linear_classifier.h"

namespace bochner {

// Each function takes one row: `label` is its class, `scores` are f, one for each function (linear_classifier.h).

/// Whether the loss is not a sum of losses of single functions.
bool is_joint(ClassifierLoss loss, std::size_t functions);

/// weight loss(f): one number per function or, for a joint loss, only the first. Also writes the gradient and the
/// diagonal of the second derivatives.
void loss_at(ClassifierLoss loss, std::size_t label, double weight, std::span<const double> scores,
             std::span<double> losses, std::span<double> slopes, std::span<double> curvatures);

/// weight times the second derivative of the squared hinge for y f < 1; it is zero elsewhere.
double hinge_curvature(double weight);
/// weight times the second derivative of log(1 + exp(-y f)): p (1 - p) with p = 1 / (1 + exp(-f)).
double logistic_curvature(double weight, double score);
/// v = weight (second derivatives of the multinomial loss) v.
void apply_joint_curvature(double weight, std::span<const double> scores, std::span<double> v);

/// 1 / (1 + exp(-f)) without overflow.
double logistic_function(double score);
/// p_k = exp(f_k) / sum without overflow; p may be f. Returns log sum_k exp(f_k).
double softmax_of(std::span<const double> scores, std::span<double> p);

}  // namespace bochner
