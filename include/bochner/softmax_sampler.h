// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Draws classes i for a query h with probabilities near those of the softmax, exp(h . c_i / sigma^2 + b_i) / sum, in
/// O(D log n) instead of O(n): the proposal of sampled softmax (Blanc & Rendle, 2018; Choromanski et al., 2022,
/// Sec. 4.2).
///
/// With positive maps the proposal is exactly q_i = e^{b_i} phi(h) . phi(c_i) / sum_j e^{b_j} phi(h) . phi(c_j); the
/// biases b add no error. Other maps may estimate a kernel below 0, so they need a floor: a walk down a tree of sums of
/// features takes each branch with a weight of at least floor times the classes below it. Either way log_probability is
/// exactly that of the draws, and keeps its digits however small: classes and sums have exponents of their own, so that
/// neither the norms |c_i| nor the biases have a range. (The features of one class have: one that is e^-700 of the
/// largest counts as 0.) Memory: n (D + d) numbers and at most n D / 2 for the sums.
class BOCHNER_EXPORT SoftmaxSampler {
 public:
  /// embeddings: c_i in rows. spec.kernel is `softmax` whatever it says; parameters of the map that are missing are
  /// chosen from the embeddings. floor >= 0, in units of e^b times the kernel; > 0 for maps that are not positive.
  /// biases: b_i, or empty for zeros.
  /// Throws std::invalid_argument for no classes, entries that are not finite, and as make_features does.
  SoftmaxSampler(Spec spec, MatrixView<const double> embeddings, double floor = 0, std::span<const double> biases = {});
  ~SoftmaxSampler();
  SoftmaxSampler(SoftmaxSampler&&) noexcept;
  SoftmaxSampler& operator=(SoftmaxSampler&&) noexcept;

  std::size_t classes() const;
  const Spec& spec() const;

  /// ids.cols() classes for each query, with replacement, and the logarithms of their probabilities. A query's draws
  /// depend on the seed, its row and its numbers alone. `excluded`: empty, or for each query a class that is not to be
  /// drawn (the target of sampled softmax); the probabilities of the others are then over their sum.
  void sample(MatrixView<const double> queries, std::uint64_t seed, MatrixView<std::uint64_t> ids,
              MatrixView<double> log_probabilities, std::span<const std::uint64_t> excluded = {}) const;

  /// Logarithms of the probabilities with which `sample` draws these classes (queries x any number).
  void log_probability(MatrixView<const double> queries, MatrixView<const std::uint64_t> ids, MatrixView<double> out,
                       std::span<const std::uint64_t> excluded = {}) const;

  /// Gives a class another embedding and, unless it is to stay, another bias: O(D (d + log n)). Not to be called while
  /// other threads use the object.
  void update(std::size_t id, std::span<const double> embedding, std::optional<double> bias = std::nullopt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// log(exp(target) + (1/S) sum_s exp(logits_s - log_q_s)): an estimate of the softmax's log partition from S draws of q
/// without the target; its exponential is unbiased. S >= 1.
BOCHNER_EXPORT double sampled_log_partition(double target, std::span<const double> logits,
                                            std::span<const double> log_q);

}  // namespace bochner
