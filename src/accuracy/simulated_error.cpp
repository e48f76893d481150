// SPDX-License-Identifier: Apache-2.0
#include "accuracy/simulated_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "accuracy/theory_input.h"
#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/theory.h"
#include "core/errors.h"
#include "features/hybrids/hybrid_parts.h"

namespace bochner {
namespace {

/// The distinct rows of X, and which of them each row is: pairs of a small data set share rows.
struct DistinctRows {
  explicit DistinctRows(MatrixView<const double> X) : which(X.rows()) {
    std::vector<std::size_t> order(X.rows());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(
        order, [&](std::size_t a, std::size_t b) { return std::ranges::lexicographical_compare(X.row(a), X.row(b)); });
    std::vector<std::size_t> first;
    for (const std::size_t i : order) {
      if (first.empty() || !std::ranges::equal(X.row(first.back()), X.row(i))) first.push_back(i);
      which[i] = first.size() - 1;
    }
    rows = Matrix<double>(first.size(), X.cols());
    for (std::size_t i = 0; i < first.size(); ++i) std::ranges::copy(X.row(first[i]), rows.view().row(i).begin());
  }

  Matrix<double> rows;
  std::vector<std::size_t> which;
};

struct PairBlock {
  DistinctRows queries, keys;
};

/// Features of the rows, in the part of `out` that they need.
MatrixView<const double> features_of(const DistinctRows& some, const Features& features, Side side,
                                     Matrix<double>& out) {
  const auto part = out.view().row_range(0, some.rows.rows());
  features.transform(some.rows.view(), part, side);
  return part;
}

}  // namespace

void simulate_errors(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                     std::span<const double> kernel, std::span<const std::uint64_t> seeds,
                     const std::function<void(std::span<const double> squares)>& visit) {
  constexpr std::size_t kBlock = 256;
  std::vector<PairBlock> blocks;
  std::size_t largest = 0;
  for (std::size_t first = 0; first < X.rows(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, X.rows());
    blocks.push_back({DistinctRows(X.row_range(first, last)), DistinctRows(Y.row_range(first, last))});
    largest = std::max({largest, blocks.back().queries.rows.rows(), blocks.back().keys.rows.rows()});
  }
  std::vector<double> squares(X.rows());
  for (const std::uint64_t seed : seeds) {
    Spec drawn = spec;
    drawn.seed = seed;
    const std::unique_ptr<Features> features = make_features(drawn);
    Matrix<double> left(largest, features->outputs()), right(largest, features->outputs());
    std::size_t i = 0;
    for (const PairBlock& block : blocks) {
      const auto queries = features_of(block.queries, *features, Side::query, left);
      const auto keys = features_of(block.keys, *features, Side::key, right);
      for (std::size_t pair = 0; pair < block.keys.which.size(); ++pair, ++i) {
        const auto x = queries.row(block.queries.which[pair]), y = keys.row(block.keys.which[pair]);
        const double error = std::inner_product(x.begin(), x.end(), y.begin(), -kernel[i]);
        squares[i] = error * error;
      }
    }
    visit(squares);
  }
}

namespace theory {

std::vector<EstimatedError> estimated_mse(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                                          std::size_t draws, std::uint64_t seed) {
  if (draws < 2) refuse("draws", fmt::format("{}", draws), "at least 2: one draw has no standard error");
  const Resolved chosen = resolve(spec);
  need_parameters(chosen);
  const Pairs pairs = scaled_pairs(X, Y, spec);
  std::vector<double> kernel;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    kernel.push_back(kernel_at(chosen.kernel, pairs.X.view().row(i), pairs.Y.view().row(i), chosen.spec.parameters));
  std::vector<std::uint64_t> seeds;
  for (std::size_t draw = 0; draw < draws; ++draw) seeds.push_back(part_seed(seed, 1 + draw));
  std::vector<RunningMean> means(pairs.size());
  simulate_errors(chosen.spec, X, Y, kernel, seeds, [&](std::span<const double> squares) {
    for (std::size_t i = 0; i < squares.size(); ++i) means[i].add(squares[i]);
  });
  std::vector<EstimatedError> errors;
  for (const RunningMean& mean : means) errors.push_back({mean.mean(), mean.standard_error()});
  return errors;
}

}  // namespace theory
}  // namespace bochner
