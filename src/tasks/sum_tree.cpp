// SPDX-License-Identifier: Apache-2.0
#include "tasks/sum_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simd/arrays.h"

namespace bochner {
namespace {

constexpr std::size_t kKnown = 1024;  // nodes whose values are kept

std::size_t bucket_count(std::size_t classes) { return (classes + SumTree::kBucket - 1) / SumTree::kBucket; }

std::size_t level_of(std::size_t node) { return static_cast<std::size_t>(std::bit_width(node)) - 1; }

}  // namespace

SumTree::SumTree(Matrix<double> features)
    : features_(std::move(features)),
      leaves_(std::bit_ceil(std::max<std::size_t>(1, bucket_count(features_.rows())))),
      sums_(2 * leaves_, features_.cols(), 0.0) {
  for (std::size_t bucket = 0; bucket < bucket_count(classes()); ++bucket) add_bucket(bucket);
  for (std::size_t node = leaves_; node-- > 1;) add_children(node);
}

void SumTree::add_bucket(std::size_t bucket) {
  const auto sum = sums_.view().row(leaves_ + bucket);
  std::ranges::fill(sum, 0.0);
  for (std::size_t id = bucket * kBucket; id < std::min(classes(), (bucket + 1) * kBucket); ++id)
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += features_(id, j);
}

void SumTree::add_children(std::size_t node) {
  for (std::size_t j = 0; j < outputs(); ++j) sums_(node, j) = sums_(2 * node, j) + sums_(2 * node + 1, j);
}

std::size_t SumTree::count(std::size_t node) const {
  const std::size_t width = leaves_ >> level_of(node);  // buckets below
  const std::size_t first = (node * width - leaves_) * kBucket;
  return first >= classes() ? 0 : std::min(classes() - first, width * kBucket);
}

void SumTree::update(std::size_t id, std::span<const double> feature) {
  std::ranges::copy(feature, features_.view().row(id).begin());
  add_bucket(id / kBucket);
  for (std::size_t node = (leaves_ + id / kBucket) / 2; node >= 1; node /= 2) add_children(node);
}

Proposal::Proposal(const SumTree& tree, std::span<const double> query, double floor,
                   std::optional<std::size_t> excluded)
    : tree_(tree),
      query_(query),
      floor_(floor),
      excluded_(excluded),
      known_(std::min(kKnown, 2 * tree.leaves()), std::numeric_limits<double>::quiet_NaN()) {
  if (excluded_) exclude();
}

double Proposal::class_value(std::size_t id) const {
  return excluded_ == id ? 0.0 : std::max(simd::dot<double>(query_, tree_.feature(id)), floor_);
}

std::vector<double> Proposal::bucket_values(std::size_t bucket) const {
  const std::size_t first = bucket * SumTree::kBucket;
  std::vector<double> values(std::min(tree_.classes() - first, SumTree::kBucket));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = class_value(first + i);
  if (std::accumulate(values.begin(), values.end(), 0.0) > 0) return values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = excluded_ == first + i ? 0 : 1;
  return values;
}

/// Values above the excluded class, from its bucket to the root: sums of what is left, so nothing cancels.
void Proposal::exclude() {
  std::size_t node = tree_.leaves() + *excluded_ / SumTree::kBucket;
  double left = 0;
  for (std::size_t id = (node - tree_.leaves()) * SumTree::kBucket, k = 0; k < tree_.count(node); ++k)
    left += class_value(id + k);
  std::vector<double> upward{left};
  for (; node > 1; node /= 2) upward.push_back(upward.back() + value(node ^ 1));
  path_.assign(upward.rbegin(), upward.rend());
}

double Proposal::value(std::size_t node) {
  const std::size_t level = level_of(node);
  if (level < path_.size()) {
    const std::size_t leaf = tree_.leaves() + *excluded_ / SumTree::kBucket;
    if (leaf >> (path_.size() - 1 - level) == node) return path_[level];
  }
  const auto compute = [&] {
    return std::max(simd::dot<double>(query_, tree_.sum(node)), floor_ * static_cast<double>(tree_.count(node)));
  };
  if (node >= known_.size()) return compute();
  if (std::isnan(known_[node])) known_[node] = compute();
  return known_[node];
}

std::size_t Proposal::count_left(std::size_t node) const {
  const std::size_t all = tree_.count(node);
  if (!excluded_) return all;
  const std::size_t leaf = tree_.leaves() + *excluded_ / SumTree::kBucket;
  return leaf >> (level_of(leaf) - level_of(node)) == node ? all - 1 : all;
}

double Proposal::share(std::size_t node) {
  const double first = value(node), both = first + value(node ^ 1);
  if (both > 0) return first / both;
  const double classes = static_cast<double>(count_left(node));
  return classes / (classes + static_cast<double>(count_left(node ^ 1)));
}

Proposal::Draw Proposal::draw(const std::function<double(std::size_t level)>& uniform) {
  std::size_t node = 1, level = 0;
  double log_probability = 0;
  for (; node < tree_.leaves(); ++level) {
    const double left = share(2 * node);
    const bool first = uniform(level) < left;
    log_probability += std::log(first ? left : 1 - left);
    node = 2 * node + (first ? 0 : 1);
  }
  const std::size_t bucket = node - tree_.leaves();
  const std::vector<double> values = bucket_values(bucket);
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  double rest = uniform(level) * total;
  std::size_t chosen = values.size();
  for (std::size_t i = 0; i < values.size() && rest >= 0; ++i) {
    if (values[i] <= 0) continue;
    chosen = i;
    rest -= values[i];
  }
  return {bucket * SumTree::kBucket + chosen, log_probability + std::log(values[chosen] / total)};
}

double Proposal::log_probability(std::size_t id) {
  if (excluded_ == id) return -std::numeric_limits<double>::infinity();
  const std::size_t bucket = id / SumTree::kBucket;
  const std::vector<double> values = bucket_values(bucket);
  double log_probability = std::log(values[id % SumTree::kBucket] / std::accumulate(values.begin(), values.end(), 0.0));
  for (std::size_t node = tree_.leaves() + bucket; node > 1; node /= 2) {
    const double left = share(node & ~std::size_t{1});
    log_probability += std::log(node % 2 == 0 ? left : 1 - left);
  }
  return log_probability;
}

}  // namespace bochner
