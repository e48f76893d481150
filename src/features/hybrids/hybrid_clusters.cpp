// SPDX-License-Identifier: Apache-2.0
#include "features/hybrids/hybrid_clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/errors.h"
#include "core/parameter.h"
#include "features/hybrids/hybrid_parts.h"
#include "theory/complex_exponential.h"

namespace bochner {
namespace {

// Larger entries (or smaller than 1/10) cost the rows around a centre more than the centre gains.
constexpr double kLargestEntry = 10;

MatrixView<const double> centres_of(const Parameters& parameters, std::string_view name, double count_of_centres) {
  const std::span<const double> entries = numbers(parameters, name);
  const auto rows = static_cast<std::size_t>(count_of_centres);
  return {entries.data(), rows, entries.size() / rows};
}

/// |a x + y/a|^2.
double residual(const Diagonal& a, std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t l = 0; l < a.size(); ++l) sum += std::norm(a[l] * x[l] + y[l] / a[l]);
  return sum;
}

double standard_tau(const Parameters& parameters, const Clusters& clusters) {
  double sum = 0, terms = 0;
  for (std::size_t pair = 0; pair < clusters.pairs(); ++pair) {
    const Diagonal a = diagonal_of(parameters, clusters, pair);
    for (std::size_t other = 0; other < clusters.pairs(); ++other) {
      if (other == pair) continue;
      sum += residual(a, clusters.queries.row(other / clusters.keys.rows()),
                      clusters.keys.row(other % clusters.keys.rows()));
      ++terms;
    }
  }
  return sum > 0 ? std::sqrt(sum / terms) / 2 : 1;
}

}  // namespace

Clusters clusters_of(const Parameters& parameters) {
  const std::span<const double> counts = numbers(parameters, "clusters");
  return {centres_of(parameters, "query_centres", counts[0]), centres_of(parameters, "key_centres", counts[1])};
}

void check_centres(const Spec& spec) {
  const std::span<const double> counts = numbers(spec.parameters, "clusters");
  for (const auto& [name, count] : {std::pair("query_centres", counts[0]), std::pair("key_centres", counts[1])}) {
    const std::size_t size = numbers(spec.parameters, name).size();
    const auto rows = static_cast<std::size_t>(count);
    if (size != rows * spec.d)
      refuse(name, fmt::format("{} numbers", size),
             fmt::format("{} x {} (clusters x d), as 'clusters' says", rows, spec.d));
  }
}

bool has_mixture(const Parameters& parameters) { return word(parameters, "coefficients") == "gaussian"; }

Diagonal diagonal_of(const Parameters& parameters, const Clusters& clusters, std::size_t pair) {
  const auto x = clusters.queries.row(pair / clusters.keys.rows()), y = clusters.keys.row(pair % clusters.keys.rows());
  Diagonal diagonal;
  if (word(parameters, "diagonal") == "complex") {
    diagonal = theory::vanishing_diagonal(x, y);
  } else {
    const std::vector<double> real = theory::vanishing_real_diagonal(x, y);
    diagonal.assign(real.begin(), real.end());
  }
  for (std::complex<double>& entry : diagonal) {
    const double size = std::abs(entry);
    entry *= std::clamp(size, 1 / kLargestEntry, kLargestEntry) / size;
  }
  return diagonal;
}

double tau_of(const Parameters& parameters, const Clusters& clusters) {
  const double* tau = std::get_if<double>(&parameters.find("tau")->second);
  return tau != nullptr ? *tau : standard_tau(parameters, clusters);
}

Spec rest_spec(const Spec& spec, const Clusters& clusters) {
  return part_spec(spec, spec.kernel, "positive_paired", spec.m, 2 * clusters.pairs());
}

}  // namespace bochner
