// SPDX-License-Identifier: Apache-2.0
#include "bochner/gram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "learners/statistics/feature_panels.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

/// Rows whose features are held at once. They are enough to hide the traffic of the accumulator (2 x 8 bytes per
/// 2 kRows flops) and few enough for sums of float products, whose error is about sqrt(kRows) 2^-24 / 3 of the
/// diagonal.
constexpr std::size_t kRows = 1024;

/// Returns `outputs` if it is valid and there is memory for it; refuses it otherwise.
std::size_t fitting(std::size_t outputs) {
  if (outputs == 0) refuse("outputs", "0", "at least 1");
  require_memory(outputs, 1);
  return outputs;
}

std::vector<double> means(std::span<const double> sums, double weight) {
  std::vector<double> result(sums.size(), 0.0);
  for (std::size_t j = 0; j < sums.size() && weight > 0; ++j) result[j] = sums[j] / weight;
  return result;
}

}  // namespace

Gram::Gram(std::size_t outputs, std::size_t targets)
    : gram_(fitting(outputs), outputs, 0.0),
      cross_(targets, outputs, 0.0),
      feature_sums_(outputs, 0.0),
      target_sums_(targets, 0.0),
      target_squares_(targets, 0.0),
      target_lows_(targets, std::numeric_limits<double>::infinity()),
      target_highs_(targets, -std::numeric_limits<double>::infinity()) {}

void Gram::add(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
               std::span<const double> weights) {
  add_rows<float>(features, X, Y, weights);
}

void Gram::add(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
               std::span<const double> weights) {
  add_rows<double>(features, X, Y, weights);
}

template <class T>
void Gram::add_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                    std::span<const double> weights) {
  require_symmetric(features);
  if (features.outputs() != outputs())
    refuse("features", fmt::format("a map with {} outputs", features.outputs()), fmt::format("{}", outputs()));
  require_rows<T>(features, X);
  require_targets(Y, X.rows(), targets());
  require_weights(weights, X.rows());
  single_ = single_ || (std::is_same_v<T, float> && X.rows() > 0);
  FeaturePanels<T> Z(std::min(kRows, X.rows()), outputs());
  for (std::size_t first = 0; first < X.rows(); first += kRows) {
    const std::size_t last = std::min(first + kRows, X.rows());
    const auto own = weights.empty() ? weights : weights.subspan(first, last - first);
    Z.fill(features, X.row_range(first, last), own);
    Z.add_products(gram_);
    add_targets<T>(Z, Y.row_range(first, last), own);
  }
}

/// With rows sqrt(w_i) phi_i on one side and sqrt(w_i) (y_i, 1) on the other, all sums are plain products.
template <class T>
void Gram::add_targets(const FeaturePanels<T>& Z, MatrixView<const double> Y, std::span<const double> weights) {
  Matrix<double> right(Y.rows(), targets() + 1);
  for (std::size_t i = 0; i < Y.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i], root = std::sqrt(weight);
    for (std::size_t t = 0; t < targets(); ++t) {
      right(i, t) = root * Y(i, t);
      target_sums_[t] += weight * Y(i, t);
      target_squares_[t] += weight * Y(i, t) * Y(i, t);
      if (!(weight > 0)) continue;
      target_lows_[t] = std::min(target_lows_[t], Y(i, t));
      target_highs_[t] = std::max(target_highs_[t], Y(i, t));
    }
    right(i, targets()) = root;
    weight_ += weight;
    rows_ += weight > 0 ? 1 : 0;
  }
  Matrix<double> sums(targets() + 1, outputs(), 0.0);
  Z.add_cross(right, sums);
  for (std::size_t j = 0; j < outputs(); ++j) {
    for (std::size_t t = 0; t < targets(); ++t) cross_(t, j) += sums(t, j);
    feature_sums_[j] += sums(targets(), j);
  }
}

void Gram::merge(const Gram& other) {
  if (other.outputs() != outputs() || other.targets() != targets())
    refuse("other", fmt::format("a Gram of {} outputs and {} targets", other.outputs(), other.targets()),
           fmt::format("{} and {}", outputs(), targets()));
  parallel_for(outputs(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t j = 0; j <= i; ++j) gram_(i, j) += other.gram_(i, j);
      for (std::size_t t = 0; t < targets(); ++t) cross_(t, i) += other.cross_(t, i);
      feature_sums_[i] += other.feature_sums_[i];
    }
  });
  for (std::size_t t = 0; t < targets(); ++t) {
    target_sums_[t] += other.target_sums_[t];
    target_squares_[t] += other.target_squares_[t];
    target_lows_[t] = std::min(target_lows_[t], other.target_lows_[t]);
    target_highs_[t] = std::max(target_highs_[t], other.target_highs_[t]);
  }
  weight_ += other.weight_;
  rows_ += other.rows_;
  single_ = single_ || other.single_;
}

std::vector<double> Gram::feature_means() const { return means(feature_sums_, weight_); }
std::vector<double> Gram::target_means() const {
  std::vector<double> result = means(target_sums_, weight_);
  for (std::size_t t = 0; t < targets(); ++t)
    if (always(t, target_lows_[t])) result[t] = target_lows_[t];
  return result;
}

Matrix<double> Gram::second_moments(std::span<const double> centre) const {
  Matrix<double> moments(outputs(), outputs());
  parallel_for(outputs(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double excess = feature_sums_[i] - weight_ * centre[i];
      for (std::size_t j = 0; j <= i; ++j)
        moments(i, j) = gram_(i, j) - centre[i] * feature_sums_[j] - excess * centre[j];
    }
  });
  return moments;
}

Matrix<double> Gram::cross_moments(std::span<const double> centre, std::span<const double> target_centre) const {
  Matrix<double> moments(targets(), outputs());
  for (std::size_t t = 0; t < targets(); ++t) {
    const double excess = target_sums_[t] - weight_ * target_centre[t];
    if (always(t, target_centre[t])) {
      std::ranges::fill(moments.view().row(t), 0.0);
      continue;
    }
    for (std::size_t j = 0; j < outputs(); ++j)
      moments(t, j) = cross_(t, j) - target_centre[t] * feature_sums_[j] - excess * centre[j];
  }
  return moments;
}

std::vector<double> Gram::target_moments(std::span<const double> target_centre) const {
  std::vector<double> moments(targets(), 0.0);
  for (std::size_t t = 0; t < targets(); ++t) {
    const double centre = target_centre[t], excess = target_sums_[t] - weight_ * centre;
    if (!always(t, centre)) moments[t] = std::max(target_squares_[t] - centre * target_sums_[t] - excess * centre, 0.0);
  }
  return moments;
}

}  // namespace bochner
