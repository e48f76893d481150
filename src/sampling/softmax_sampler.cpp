// SPDX-License-Identifier: Apache-2.0
#include "bochner/softmax_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/available_memory.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "core/stream.h"
#include "features/check.h"
#include "features/defaults.h"
#include "features/lookup.h"
#include "features/resolve.h"
#include "features/row_origin.h"
#include "sampling/sum_tree.h"

namespace bochner {
namespace {

constexpr std::size_t kBlock = 8;    // queries per job
constexpr std::size_t kLevels = 64;  // more than any tree has

/// Refuses an m that is too large before anything is drawn. Besides W, memory holds, in doubles, the features of all
/// classes and the sums of the tree over them, which has twice as many nodes as there are buckets.
Spec with_memory(Spec spec, std::size_t classes) {
  const Resolved chosen = resolve_undrawn(spec);
  const double width = static_cast<double>(std::max<std::size_t>(1, chosen.map.width(chosen.spec.parameters)));
  const double nodes = 2.0 * static_cast<double>(std::bit_ceil(classes / SumTree::kBucket + 1));
  const double each = 8 * width * (static_cast<double>(classes) + nodes), left = static_cast<double>(memory_left());
  const auto bytes = [&](std::size_t m) {
    return static_cast<double>(m) * each + chosen.coupling.bytes(spec.d, m, space_of(chosen.spec));
  };
  if (bytes(spec.m) <= left) return spec;
  std::size_t low = 0, high = spec.m;
  while (high - low > 1) (bytes(low + (high - low) / 2) <= left ? low : high) = low + (high - low) / 2;
  refuse("m", fmt::format("{}", spec.m),
         fmt::format("at most {}: features and sums of {} classes would need {:.3g} GiB of {:.3g} GiB; lower m", low,
                     classes, bytes(spec.m) / 0x1p30, left / 0x1p30));
}

Spec softmax_spec(Spec spec) {
  spec.kernel = defaults::kSoftmaxKernel;
  if (spec.map == "auto") spec.map = defaults::kSoftmaxMap;  // probabilities need positive features
  return spec;
}

void check_floor(double floor, bool positive, std::string_view map) {
  if (std::isfinite(floor) && floor >= 0 && (positive || floor > 0)) return;
  refuse("floor", fmt::format("{}", floor),
         positive ? "a number >= 0"
                  : fmt::format("a number > 0: features of map '{}' may estimate a kernel below 0", map));
}

void check_bias(double bias, std::size_t id) {
  if (!std::isfinite(bias)) refuse("bias", fmt::format("{} (class {})", bias, id), "a finite number");
}

std::vector<double> checked_biases(std::span<const double> biases, std::size_t classes) {
  if (biases.empty()) return std::vector<double>(classes, 0.0);
  if (biases.size() != classes)
    refuse("biases", fmt::format("a list of {} numbers", biases.size()),
           fmt::format("one for each of {} classes", classes));
  for (std::size_t i = 0; i < classes; ++i) check_bias(biases[i], i);
  return {biases.begin(), biases.end()};
}

}  // namespace

struct SoftmaxSampler::State {
  State(Spec given, MatrixView<const double> rows, double least, std::span<const double> given_biases)
      : features(make_features(with_memory(softmax_spec(std::move(given)), rows.rows()))),
        positive(find_map(features->spec().map).positive),
        floor(least),
        inverse(inverse_lengthscale(features->spec().lengthscale, features->d())),
        embeddings(rows.rows(), rows.cols()),
        biases(checked_biases(given_biases, rows.rows())) {
    check_floor(floor, positive, features->spec().map);
    if (rows.rows() == 0) refuse("embeddings", "an array of no rows", "at least one class");
    check_rows("embeddings", rows);
    for (std::size_t i = 0; i < rows.rows(); ++i) std::ranges::copy(rows.row(i), embeddings.view().row(i).begin());
    if (!features->fitted()) features->fit(embeddings.view());
    build();
  }

  /// Refuses what the features would refuse, under the name that the caller knows.
  void check_rows(std::string_view name, MatrixView<const double> rows) const {
    if (rows.cols() != features->d())
      refuse(name, fmt::format("an array of {} columns", rows.cols()), fmt::format("{}", features->d()));
    Matrix<double> scaled(1, rows.cols());
    double norm = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      scale_rows<double>(rows.row_range(i, i + 1), inverse, i, scaled.view(), {&norm, 1}, name);
  }

  /// Features of the rows as Z exp(scales); scales are 0 for maps that are not positive. Rows below a shift are refused
  /// under the name that the caller knows.
  void transform(std::string_view name, MatrixView<const double> rows, MatrixView<double> Z, std::span<double> scales,
                 Side side) const {
    try {
      if (positive) return features->transform_scaled(rows, Z, scales, side);
      features->transform(rows, Z, side);
    } catch (const std::invalid_argument& refusal) {
      const std::string_view why = refusal.what();
      if (!why.starts_with("X ")) throw;
      throw std::invalid_argument(fmt::format("{} {}", name, why.substr(2)));
    }
    std::ranges::fill(scales, 0.0);
  }

  void build() {
    Matrix<double> Z(embeddings.rows(), features->outputs());
    std::vector<double> scales(embeddings.rows());
    transform("embeddings", embeddings.view(), Z.view(), scales, Side::key);
    for (std::size_t i = 0; i < Z.rows(); ++i) scales[i] += biases[i];
    reference = *std::ranges::max_element(scales);
    for (std::size_t i = 0; i < Z.rows(); ++i) scales[i] = weigh(Z.view().row(i), scales[i]);
    tree = std::make_unique<SumTree>(std::move(Z), std::move(scales));
  }

  /// Multiplies the features by exp(scale - reference), except for a power of two, whose exponent it returns.
  double weigh(std::span<double> Z, double scale) const {
    const auto [factor, exponent] = scaled_exp(scale - reference);
    for (double& z : Z) z *= factor;
    return exponent;
  }

  /// Calls visit(row, proposal) for every query.
  void for_each(MatrixView<const double> queries, std::span<const std::uint64_t> excluded,
                const std::function<void(std::size_t row, Proposal& proposal)>& visit) const {
    parallel_for(queries.rows(), kBlock, [&](std::size_t first, std::size_t last) {
      Matrix<double> Z(last - first, features->outputs());
      std::vector<double> scales(last - first);
      {
        const RowOrigin origin(first);
        transform("queries", queries.row_range(first, last), Z.view(), scales, Side::query);
      }
      for (std::size_t i = first; i < last; ++i) {
        const double log_floor = std::log(floor) - scales[i - first] - reference;
        const auto leave_out = excluded.empty() ? std::nullopt : std::optional<std::size_t>(excluded[i]);
        Proposal proposal(*tree, Z.view().row(i - first), scaled_exp(log_floor), leave_out);
        visit(i, proposal);
      }
    });
  }

  void check_queries(MatrixView<const double> queries, std::size_t rows,
                     std::span<const std::uint64_t> excluded) const {
    if (queries.rows() != rows)
      refuse("queries", fmt::format("an array of {} rows", queries.rows()), fmt::format("{}, as ids has", rows));
    check_rows("queries", queries);
    if (excluded.empty()) return;
    if (excluded.size() != rows)
      refuse("excluded", fmt::format("a list of {} classes", excluded.size()),
             fmt::format("one for each of {} queries", rows));
    if (tree->classes() == 1) refuse("excluded", "the only class", "at least one other class");
    for (const std::uint64_t id : excluded) check_class("excluded", id);
  }

  void check_class(std::string_view name, std::uint64_t id) const {
    if (id >= tree->classes()) refuse(name, fmt::format("class {}", id), fmt::format("0 to {}", tree->classes() - 1));
  }

  std::unique_ptr<Features> features;
  bool positive;
  double floor;
  std::vector<double> inverse;  ///< 1 / lengthscale
  Matrix<double> embeddings;
  std::vector<double> biases;
  std::unique_ptr<SumTree> tree;
  double reference = 0;  ///< the tree holds the features of the classes times exp(bias - reference)
};

SoftmaxSampler::SoftmaxSampler(Spec spec, MatrixView<const double> embeddings, double floor,
                               std::span<const double> biases)
    : state_(std::make_unique<State>(std::move(spec), embeddings, floor, biases)) {}
SoftmaxSampler::~SoftmaxSampler() = default;
SoftmaxSampler::SoftmaxSampler(SoftmaxSampler&&) noexcept = default;
SoftmaxSampler& SoftmaxSampler::operator=(SoftmaxSampler&&) noexcept = default;

std::size_t SoftmaxSampler::classes() const { return state_->tree->classes(); }
const Spec& SoftmaxSampler::spec() const { return state_->features->spec(); }

void SoftmaxSampler::sample(MatrixView<const double> queries, std::uint64_t seed, MatrixView<std::uint64_t> ids,
                            MatrixView<double> log_probabilities, std::span<const std::uint64_t> excluded) const {
  state_->check_queries(queries, ids.rows(), excluded);
  const Stream stream(seed, Purpose::class_draws);
  state_->for_each(queries, excluded, [&](std::size_t row, Proposal& proposal) {
    for (std::size_t k = 0; k < ids.cols(); ++k) {
      const auto uniform = [&](std::size_t level) { return stream.uniform(row, k * kLevels + level); };
      const auto [id, log_probability] = proposal.draw(uniform);
      ids(row, k) = id;
      log_probabilities(row, k) = log_probability;
    }
  });
}

void SoftmaxSampler::log_probability(MatrixView<const double> queries, MatrixView<const std::uint64_t> ids,
                                     MatrixView<double> out, std::span<const std::uint64_t> excluded) const {
  state_->check_queries(queries, ids.rows(), excluded);
  for (std::size_t i = 0; i < ids.rows(); ++i)
    for (const std::uint64_t id : ids.row(i)) state_->check_class("ids", id);
  state_->for_each(queries, excluded, [&](std::size_t row, Proposal& proposal) {
    for (std::size_t k = 0; k < ids.cols(); ++k) out(row, k) = proposal.log_probability(ids(row, k));
  });
}

void SoftmaxSampler::update(std::size_t id, std::span<const double> embedding, std::optional<double> bias) {
  state_->check_class("id", id);
  if (bias) check_bias(*bias, id);
  if (embedding.size() != state_->embeddings.cols())
    refuse("embedding", fmt::format("a list of {} numbers", embedding.size()),
           fmt::format("{}", state_->embeddings.cols()));
  state_->check_rows("embedding", {embedding.data(), 1, embedding.size()});
  Matrix<double> Z(1, state_->features->outputs());
  double scale = 0;
  state_->transform("embedding", {embedding.data(), 1, embedding.size()}, Z.view(), {&scale, 1}, Side::key);
  std::ranges::copy(embedding, state_->embeddings.view().row(id).begin());
  state_->biases[id] = bias.value_or(state_->biases[id]);
  const double exponent = state_->weigh(Z.view().row(0), scale + state_->biases[id]);
  state_->tree->update(id, Z.view().row(0), exponent);
}

double sampled_log_partition(double target, std::span<const double> logits, std::span<const double> log_q) {
  if (logits.empty() || logits.size() != log_q.size())
    refuse("logits", fmt::format("a list of {} numbers", logits.size()),
           fmt::format("at least one, and as many as log_q ({})", log_q.size()));
  std::vector<double> terms{target};
  const double log_count = std::log(static_cast<double>(logits.size()));
  for (std::size_t s = 0; s < logits.size(); ++s) terms.push_back(logits[s] - log_q[s] - log_count);
  const double largest = *std::ranges::max_element(terms);
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

}  // namespace bochner
