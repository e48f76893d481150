// SPDX-License-Identifier: Apache-2.0
#include "learners/classifier/classifier_loss.h"

#include <algorithm>
#include <cmath>

#include "features/scratch.h"

namespace bochner {
namespace {

/// Whether the row belongs to the class of function k; a single function is that of class 1.
bool belongs(std::size_t label, std::size_t k, std::size_t functions) { return label == (functions == 1 ? 1 : k); }

/// log(1 + exp(x)).
double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

double joint_loss(std::size_t label, double weight, std::span<const double> scores, std::span<double> slopes,
                  std::span<double> curvatures) {
  const double total = softmax_of(scores, slopes);
  for (std::size_t k = 0; k < scores.size(); ++k) {
    curvatures[k] = weight * slopes[k] * (1 - slopes[k]);
    slopes[k] = weight * (slopes[k] - (k == label ? 1.0 : 0.0));
  }
  return weight * (total - scores[label]);
}

}  // namespace

bool is_joint(ClassifierLoss loss, std::size_t functions) {
  return loss == ClassifierLoss::multinomial && functions > 1;
}

double logistic_function(double score) {
  const double small = std::exp(-std::fabs(score));
  return (score > 0 ? 1.0 : small) / (1 + small);
}

double softmax_of(std::span<const double> scores, std::span<double> p) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) sum += p[k] = std::exp(scores[k] - top);
  for (double& value : p) value /= sum;
  return top + std::log(sum);
}

void loss_at(ClassifierLoss loss, std::size_t label, double weight, std::span<const double> scores,
             std::span<double> losses, std::span<double> slopes, std::span<double> curvatures) {
  if (is_joint(loss, scores.size())) {
    std::fill(losses.begin(), losses.end(), 0.0);
    losses[0] = joint_loss(label, weight, scores, slopes, curvatures);
    return;
  }
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const bool own = belongs(label, k, scores.size());
    const double score = own ? scores[k] : -scores[k], sign = own ? 1 : -1;
    if (loss == ClassifierLoss::squared_hinge) {
      const double missing = std::max(1 - score, 0.0);
      losses[k] = weight * missing * missing;
      slopes[k] = weight * -2 * sign * missing;
      curvatures[k] = missing > 0 ? hinge_curvature(weight) : 0.0;
    } else {
      const double wrong = logistic_function(-score);
      losses[k] = weight * softplus(-score);
      slopes[k] = weight * -sign * wrong;
      curvatures[k] = logistic_curvature(weight, score);
    }
  }
}

double hinge_curvature(double weight) { return 2 * weight; }

double logistic_curvature(double weight, double score) {
  const double small = std::exp(-std::fabs(score));
  return weight * small / ((1 + small) * (1 + small));
}

void apply_joint_curvature(double weight, std::span<const double> scores, std::span<double> v) {
  Scratch<double> memory(v.size());
  const std::span<double> p(memory.data(), v.size());
  softmax_of(scores, p);
  double mean = 0;
  for (std::size_t k = 0; k < v.size(); ++k) mean += p[k] * v[k];
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = weight * p[k] * (v[k] - mean);
}

}  // namespace bochner
