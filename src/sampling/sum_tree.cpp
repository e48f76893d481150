// SPDX-License-Identifier: Apache-2.0
#include "sampling/sum_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "simd/arrays.h"

namespace bochner {
namespace {

constexpr std::size_t kKnown = 1024;                                   // nodes whose values are kept
constexpr double kNothing = -std::numeric_limits<double>::infinity();  // exponent of sums that are 0

std::size_t bucket_count(std::size_t classes) { return (classes + SumTree::kBucket - 1) / SumTree::kBucket; }

std::size_t level_of(std::size_t node) { return static_cast<std::size_t>(std::bit_width(node)) - 1; }

}  // namespace

SumTree::SumTree(Matrix<double> features, std::vector<double> exponents)
    : features_(std::move(features)),
      feature_exponents_(std::move(exponents)),
      leaves_(std::bit_ceil(std::max<std::size_t>(1, bucket_count(features_.rows())))),
      sums_(2 * leaves_, features_.cols(), 0.0),
      sum_exponents_(2 * leaves_, kNothing) {
  feature_exponents_.resize(classes(), 0.0);
  for (std::size_t bucket = 0; bucket < bucket_count(classes()); ++bucket) add_bucket(bucket);
  for (std::size_t node = leaves_; node-- > 1;) add_children(node);
}

/// Features that are 0 do not affect the exponent.
void SumTree::add_bucket(std::size_t bucket) {
  const std::size_t first = bucket * kBucket, last = std::min(classes(), first + kBucket);
  const auto sum = sums_.view().row(leaves_ + bucket);
  double& exponent = sum_exponents_[leaves_ + bucket];
  std::ranges::fill(sum, 0.0);
  exponent = kNothing;
  for (std::size_t id = first; id < last; ++id)
    if (feature_exponents_[id] > exponent && std::ranges::any_of(feature(id), [](double z) { return z != 0; }))
      exponent = feature_exponents_[id];
  for (std::size_t id = first; id < last && exponent != kNothing; ++id) {
    const double factor = power_of_two(std::min(feature_exponents_[id] - exponent, 0.0));
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += factor * features_(id, j);
  }
}

void SumTree::add_children(std::size_t node) {
  const double first = sum_exponents_[2 * node], second = sum_exponents_[2 * node + 1];
  const double exponent = sum_exponents_[node] = std::max(first, second);
  if (first == second) {
    for (std::size_t j = 0; j < outputs(); ++j) sums_(node, j) = sums_(2 * node, j) + sums_(2 * node + 1, j);
    return;
  }
  const double a = power_of_two(first - exponent), b = power_of_two(second - exponent);
  for (std::size_t j = 0; j < outputs(); ++j) sums_(node, j) = a * sums_(2 * node, j) + b * sums_(2 * node + 1, j);
}

std::size_t SumTree::count(std::size_t node) const {
  const std::size_t width = leaves_ >> level_of(node);  // number of buckets below
  const std::size_t first = (node * width - leaves_) * kBucket;
  return first >= classes() ? 0 : std::min(classes() - first, width * kBucket);
}

void SumTree::update(std::size_t id, std::span<const double> feature, double exponent) {
  std::ranges::copy(feature, features_.view().row(id).begin());
  feature_exponents_[id] = exponent;
  add_bucket(id / kBucket);
  for (std::size_t node = (leaves_ + id / kBucket) / 2; node >= 1; node /= 2) add_children(node);
}

Proposal::Proposal(const SumTree& tree, std::span<const double> query, const ScaledNumber& floor,
                   std::optional<std::size_t> excluded)
    : tree_(tree),
      query_(query),
      floor_(floor),
      excluded_(excluded),
      known_(std::min(kKnown, 2 * tree.leaves()), {std::numeric_limits<double>::quiet_NaN()}) {
  if (excluded_) exclude();
}

ScaledNumber Proposal::class_value(std::size_t id) const {
  if (excluded_ == id) return {};
  return std::max(ScaledNumber{simd::dot<double>(query_, tree_.feature(id)), tree_.feature_exponent(id)}, floor_);
}

std::vector<ScaledNumber> Proposal::bucket_values(std::size_t bucket) const {
  const std::size_t first = bucket * SumTree::kBucket;
  std::vector<ScaledNumber> values(std::min(tree_.classes() - first, SumTree::kBucket));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = class_value(first + i);
  if (std::ranges::any_of(values, [](const ScaledNumber& value) { return value.number > 0; })) return values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {excluded_ == first + i ? 0.0 : 1.0};
  return values;
}

/// Computes the values above the excluded class, from its bucket to the root: sums of what remains, so nothing cancels.
void Proposal::exclude() {
  std::size_t node = tree_.leaves() + *excluded_ / SumTree::kBucket;
  ScaledNumber left;
  for (std::size_t id = (node - tree_.leaves()) * SumTree::kBucket, k = 0; k < tree_.count(node); ++k)
    left = left + class_value(id + k);
  std::vector<ScaledNumber> upward{left};
  for (; node > 1; node /= 2) upward.push_back(upward.back() + value(node ^ 1));
  path_.assign(upward.rbegin(), upward.rend());
}

ScaledNumber Proposal::value(std::size_t node) {
  const std::size_t level = level_of(node);
  if (level < path_.size()) {
    const std::size_t leaf = tree_.leaves() + *excluded_ / SumTree::kBucket;
    if (leaf >> (path_.size() - 1 - level) == node) return path_[level];
  }
  const auto compute = [&]() -> ScaledNumber {
    if (tree_.count(node) == 0) return {};
    const ScaledNumber least{floor_.number * static_cast<double>(tree_.count(node)), floor_.exponent};
    if (tree_.sum_exponent(node) == kNothing) return least;
    return std::max(ScaledNumber{simd::dot<double>(query_, tree_.sum(node)), tree_.sum_exponent(node)}, least);
  };
  if (node >= known_.size()) return compute();
  if (std::isnan(known_[node].number)) known_[node] = compute();
  return known_[node];
}

std::size_t Proposal::count_left(std::size_t node) const {
  const std::size_t all = tree_.count(node);
  if (!excluded_) return all;
  const std::size_t leaf = tree_.leaves() + *excluded_ / SumTree::kBucket;
  return leaf >> (level_of(leaf) - level_of(node)) == node ? all - 1 : all;
}

Proposal::Branches Proposal::branches(std::size_t node) {
  const ScaledNumber own = value(node), other = value(node ^ 1), both = own + other;
  if (both.number > 0) return {own, other, both};
  const auto classes = static_cast<double>(count_left(node)), others = static_cast<double>(count_left(node ^ 1));
  return {{classes}, {others}, {classes + others}};
}

Proposal::Draw Proposal::draw(const std::function<double(std::size_t level)>& uniform) {
  std::size_t node = 1, level = 0;
  double log_probability = 0;
  for (; node < tree_.leaves(); ++level) {
    const auto [left, right, both] = branches(2 * node);
    const bool first = uniform(level) < ratio(left, both);
    log_probability += log_ratio(first ? left : right, both);
    node = 2 * node + (first ? 0 : 1);
  }
  const std::size_t bucket = node - tree_.leaves();
  const std::vector<ScaledNumber> values = bucket_values(bucket);
  const ScaledNumber total = std::accumulate(values.begin(), values.end(), ScaledNumber{});
  double rest = uniform(level) * total.number;
  std::size_t chosen = values.size();
  for (std::size_t i = 0; i < values.size() && rest >= 0; ++i) {
    const double value = values[i].number * power_of_two(std::min(values[i].exponent - total.exponent, 0.0));
    if (value <= 0) continue;
    chosen = i;
    rest -= value;
  }
  return {bucket * SumTree::kBucket + chosen, log_probability + log_ratio(values[chosen], total)};
}

double Proposal::log_probability(std::size_t id) {
  if (excluded_ == id) return -std::numeric_limits<double>::infinity();
  const std::size_t bucket = id / SumTree::kBucket;
  const std::vector<ScaledNumber> values = bucket_values(bucket);
  double log_probability =
      log_ratio(values[id % SumTree::kBucket], std::accumulate(values.begin(), values.end(), ScaledNumber{}));
  for (std::size_t node = tree_.leaves() + bucket; node > 1; node /= 2) {
    const Branches found = branches(node);
    log_probability += log_ratio(found.own, found.both);
  }
  return log_probability;
}

}  // namespace bochner
