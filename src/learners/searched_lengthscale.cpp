// SPDX-License-Identifier: Apache-2.0
#include "learners/searched_lengthscale.h"

#include <fmt/format.h>

#include <algorithm>

#include "bochner/gaussian_process.h"
#include "bochner/kernel_ridge.h"

namespace bochner {
namespace {

/// The first values as text: "0.5", "0.5, 2, 8, ...".
std::string shown(const std::vector<double>& values) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t j = 0; j < std::min(values.size(), kShown); ++j)
    text += fmt::format("{}{:.4g}", j == 0 ? "" : ", ", values[j]);
  return values.size() > kShown ? text + ", ..." : text;
}

}  // namespace

SearchedLengthscale search_by_error(const SearchRequest& request) {
  KernelRidgeOptions options;
  options.alpha = request.alpha;
  const RidgeLengthscale found = search_ridge_lengthscale(request.spec, request.X, request.Y, request.weights, options);
  const double least = *std::ranges::min_element(found.errors);
  return {{found.lengthscale},
          fmt::format("lengthscale {:.4g}: the least squared error of leaving one out, {:.6g}, to a thousandth, of {} "
                      "from {:.3g} to {:.3g} on {} rows",
                      found.lengthscale, least, found.tried.size(), found.tried.back(), found.tried.front(),
                      request.X.rows())};
}

SearchedLengthscale search_by_likelihood(const SearchRequest& request) {
  const LengthscaleSearch search{.per_coordinate = request.per_coordinate};
  LikeliestLengthscale found = likeliest_lengthscale(request.spec, request.X, request.Y, request.weights, {}, search);
  std::string note = fmt::format("lengthscale {}: the largest marginal likelihood, {:.6g}, of {} tried on {} rows",
                                 shown(found.lengthscale), found.log_marginal_likelihood, found.evaluations,
                                 std::min(search.rows, request.X.rows()));
  return {std::move(found.lengthscale), std::move(note)};
}

double search_bytes(double rows, double outputs, double functions) {
  const double size = std::min(rows, outputs);
  return 8 * (3 * rows * outputs + 8 * size * size + 8 * functions * rows);
}

}  // namespace bochner
