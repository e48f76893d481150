// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "sampling/scaled_number.h"

namespace bochner {

/// Sums of feature vectors over nested halves of the classes, with which a class is drawn in O(D log n), D their
/// length. Leaves are buckets of kBucket neighbouring classes; node 1 is the root, node i has the children 2 i and
/// 2 i + 1, and each node is the sum of its children, so sums do not depend on the order of updates. Features and sums
/// are rows times 2^exponent, with one exponent for each class and the largest of them for each node: a class keeps its
/// digits beside classes of any weight, if the heavier ones are in other nodes or excluded.
class SumTree {
 public:
  static constexpr std::size_t kBucket = 8;

  /// exponents: a whole number for each class; empty: zeros.
  explicit SumTree(Matrix<double> features, std::vector<double> exponents = {});

  std::size_t classes() const { return features_.rows(); }
  std::size_t outputs() const { return features_.cols(); }
  std::size_t leaves() const { return leaves_; }  ///< a power of two; node leaves() + b is bucket b

  std::span<const double> feature(std::size_t id) const { return features_.view().row(id); }
  std::span<const double> sum(std::size_t node) const { return sums_.view().row(node); }
  double feature_exponent(std::size_t id) const { return feature_exponents_[id]; }
  double sum_exponent(std::size_t node) const { return sum_exponents_[node]; }  ///< -infinity: the sum is 0
  /// The number of classes below a node.
  std::size_t count(std::size_t node) const;
  /// Replaces the features of a class.
  void update(std::size_t id, std::span<const double> feature, double exponent = 0);

 private:
  void add_bucket(std::size_t bucket);
  void add_children(std::size_t node);

  Matrix<double> features_;
  std::vector<double> feature_exponents_;
  std::size_t leaves_;
  Matrix<double> sums_;  ///< row 0 is not used
  std::vector<double> sum_exponents_;
};

/// The proposal of one query: at every node a child is taken with probability value / (sum of the values of both),
/// value = max(phi(h) . sum, floor times classes below). If no feature is negative and floor is 0, that is
/// q_i = phi(h) . phi(c_i) / sum_j phi(h) . phi(c_j). Where all values are 0, children are weighted by their number of
/// classes. An `excluded` class has probability 0, and the others share the rest.
class Proposal {
 public:
  /// `tree` and `query`, the features of h, must outlive the object.
  Proposal(const SumTree& tree, std::span<const double> query, const ScaledNumber& floor,
           std::optional<std::size_t> excluded = std::nullopt);

  struct Draw {
    std::size_t id;
    double log_probability;
  };
  /// `uniform(level)` returns a number in (0, 1) for each level.
  Draw draw(const std::function<double(std::size_t level)>& uniform);
  double log_probability(std::size_t id);

 private:
  ScaledNumber value(std::size_t node);
  ScaledNumber class_value(std::size_t id) const;
  /// Values of a node and of its sibling. The probability of each is a quotient of its own, because 1 - share would
  /// have no digits where it is small.
  struct Branches {
    ScaledNumber own, other, both;
  };
  Branches branches(std::size_t node);
  std::vector<ScaledNumber> bucket_values(std::size_t bucket) const;
  std::size_t count_left(std::size_t node) const;
  void exclude();

  const SumTree& tree_;
  std::span<const double> query_;
  ScaledNumber floor_;
  std::optional<std::size_t> excluded_;
  std::vector<ScaledNumber> known_;  ///< values of nodes near the root, which all draws pass; NaN until they are needed
  std::vector<ScaledNumber> path_;   ///< values of the nodes above the excluded class, the root first
};

}  // namespace bochner
