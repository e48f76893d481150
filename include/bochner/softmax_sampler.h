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
/// O(D log n) instead of O(n): the proposal of sampled softmax (Blanc & Rendle, 2018; Choromanski et al., 2022, Sec.
/// 4.2).
///
/// With positive maps the proposal is exactly q_i = e^{b_i} phi(h) . phi(c_i) / sum_j e^{b_j} phi(h) . phi(c_j); the
/// biases b add no error. Other maps may give a negative estimate of the kernel, so they need a floor: a walk down a
/// tree of sums of features takes each branch with a weight of at least floor times the number of classes below it.
/// Either way log_probability is exactly that of the draws and keeps its digits however small it is: each class and
/// each sum has its own exponent, so that neither the norms |c_i| nor the biases are limited in range. (The features of
/// one class are: a feature that is e^-700 of the largest counts as 0.) Memory: n (D + d) numbers and at most n D / 2
/// for the sums.
class BOCHNER_EXPORT SoftmaxSampler {
 public:
  /// embeddings: the rows are the c_i. spec.kernel is taken to be `softmax` whatever it says; missing parameters of the
  /// map are chosen from the embeddings. floor >= 0, in units of e^b times the kernel; must be > 0 for maps that are
  /// not positive. biases: b_i, or empty for zeros.
  /// Throws std::invalid_argument for no classes and for entries that are not finite, and as make_features does.
  SoftmaxSampler(Spec spec, MatrixView<const double> embeddings, double floor = 0, std::span<const double> biases = {});
  ~SoftmaxSampler();
  SoftmaxSampler(SoftmaxSampler&&) noexcept;
  SoftmaxSampler& operator=(SoftmaxSampler&&) noexcept;

  std::size_t classes() const;
  const Spec& spec() const;

  /// Draws ids.cols() classes for each query, with replacement, and writes the logarithms of their probabilities. A
  /// query's draws depend only on the seed, its row number and its entries. `excluded`: empty, or for each query one
  /// class that must not be drawn (the target of sampled softmax); the probabilities of the other classes are then
  /// divided by their sum.
  void sample(MatrixView<const double> queries, std::uint64_t seed, MatrixView<std::uint64_t> ids,
              MatrixView<double> log_probabilities, std::span<const std::uint64_t> excluded = {}) const;

  /// Logarithms of the probabilities with which `sample` draws these classes (queries x any number).
  void log_probability(MatrixView<const double> queries, MatrixView<const std::uint64_t> ids, MatrixView<double> out,
                       std::span<const std::uint64_t> excluded = {}) const;

  /// Gives a class a new embedding and, if `bias` is given, a new bias: O(D (d + log n)). Must not be called while
  /// other threads use the object.
  void update(std::size_t id, std::span<const double> embedding, std::optional<double> bias = std::nullopt);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// log(exp(target) + (1/S) sum_s exp(logits_s - log_q_s)): an estimate of the softmax's log partition function from S
/// draws of q without the target; its exponential is unbiased. S >= 1.
BOCHNER_EXPORT double sampled_log_partition(double target, std::span<const double> logits,
                                            std::span<const double> log_q);

}  // namespace bochner
