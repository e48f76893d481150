// SPDX-License-Identifier: Apache-2.0
#include "features/simulated_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/theory.h"
#include "core/errors.h"
#include "features/hybrid_parts.h"
#include "features/theory_input.h"

namespace bochner {

void simulate_errors(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                     std::span<const double> kernel, std::span<const std::uint64_t> seeds,
                     const std::function<void(std::span<const double> squares)>& visit) {
  constexpr std::size_t kBlock = 256;
  std::vector<double> squares(X.rows());
  for (const std::uint64_t seed : seeds) {
    Spec drawn = spec;
    drawn.seed = seed;
    const std::unique_ptr<Features> features = make_features(drawn);
    Matrix<double> queries(std::min(kBlock, X.rows()), features->outputs()), keys(queries.rows(), queries.cols());
    for (std::size_t first = 0; first < X.rows(); first += kBlock) {
      const std::size_t last = std::min(first + kBlock, X.rows());
      features->transform(X.row_range(first, last), queries.view().row_range(0, last - first), Side::query);
      features->transform(Y.row_range(first, last), keys.view().row_range(0, last - first), Side::key);
      for (std::size_t i = first; i < last; ++i) {
        double error = -kernel[i];
        for (std::size_t j = 0; j < queries.cols(); ++j) error += queries(i - first, j) * keys(i - first, j);
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
