// SPDX-License-Identifier: Apache-2.0
// hybrid_clustered (Choromanski et al., 2022, Sec. 2.4 and App. H): for queries around the centres c_i and keys around
// the centres e_j, one base for each pair (i, j): complex_exponential with the diagonal A of
// theory::vanishing_diagonal, which makes no error at (c_i, e_j) and little around it. Coefficients:
//   zero_one  1 where c_i is the centre nearest to x and e_j the centre nearest to y, else 0. Outputs: the bases one
//             after the other, j fastest; the bases of other clusters are 0.
//   gaussian  lambda_ij = exp(-|a x + y/a|^2 / (2 tau^2)), where a is the diagonal of A, by `lambda_m` rows of
//             `lambda_map`; the rest, 1 - sum lambda_ij, by positive_paired. Entries of a are real or imaginary, so
//             this is the Gaussian kernel of width tau between |a| x and -s y / |a|, where s = 1 if a is real and -1 if
//             it is imaginary. Outputs: lambda_ij (x) base_ij, positive_paired, lambda_ij (x) positive_paired.
// Unbiased. Centres are in units of the lengthscale. Errors add up as in theory/hybrid.h.
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "core/kmeans.h"
#include "core/parameter.h"
#include "features/hybrids/hybrid_clustered_error.h"
#include "features/hybrids/hybrid_clusters.h"
#include "features/hybrids/hybrid_indicator.h"
#include "features/hybrids/hybrid_parameters.h"
#include "features/hybrids/hybrid_parts.h"
#include "maps/feature_map.h"

namespace bochner {
namespace {

Spec base_spec(const Spec& spec, const Clusters& clusters, std::size_t pair) {
  const std::size_t part = flag(spec.parameters, "shared") ? 0 : pair;
  Spec base = part_spec(spec, spec.kernel, "complex_exponential", spec.m, part);
  base.parameters["A"] = canonical(diagonal_of(spec.parameters, clusters, pair));
  return base;
}

FeaturesPart gaussian_coefficient(const Spec& spec, const Clusters& clusters, std::size_t pair, double tau) {
  const Diagonal a = diagonal_of(spec.parameters, clusters, pair);
  Matrix<double> P(spec.d, spec.d, 0.0), Q(spec.d, spec.d, 0.0);
  for (std::size_t l = 0; l < spec.d; ++l) {
    P(l, l) = std::abs(a[l]);
    Q(l, l) = (a[l].imag() == 0 ? -1 : 1) / std::abs(a[l]);
  }
  return on_inputs(make_part(gaussian_coefficient_spec(spec, tau, clusters.pairs() + pair)), P, Q);
}

std::unique_ptr<Features> compose(const Spec& given) {
  Spec spec = given;
  check_centres(spec);
  const Clusters clusters = clusters_of(spec.parameters);
  const double tau = tau_of(spec.parameters, clusters);
  const bool mixture = has_mixture(spec.parameters);
  std::vector<HybridTerm> terms;
  for (std::size_t pair = 0; pair < clusters.pairs(); ++pair) {
    const FeaturesPart coefficient = mixture
                                         ? gaussian_coefficient(spec, clusters, pair, tau)
                                         : nearest_indicator(spec, clusters.queries, clusters.keys,
                                                             pair / clusters.keys.rows(), pair % clusters.keys.rows());
    terms.push_back({0, coefficient, make_part(base_spec(spec, clusters, pair))});
  }
  const FeaturesPart composition = hybrid(terms, mixture ? make_part(rest_spec(spec, clusters)) : nullptr);
  spec.parameters["tau"] = tau;
  return registered(std::move(spec), composition);
}

/// Finds the centres by k-means; the centres of keys use the seed of another part.
Parameters fit(const FitRequest& request) {
  const std::span<const double> counts = numbers(request.spec.parameters, "clusters");
  const auto found = [&](const RowReader& rows, std::size_t side) {
    const Matrix<double> centres =
        kmeans({rows.rows, request.spec.d, rows.read}, static_cast<std::size_t>(counts[side]),
               part_seed(request.spec.seed, side), side == 0 ? "X" : request.key_name);
    return std::vector<double>(centres.data(), centres.data() + centres.rows() * centres.cols());
  };
  Parameters parameters;
  if (!request.spec.parameters.contains("query_centres")) parameters["query_centres"] = found(request.query_rows, 0);
  if (!request.spec.parameters.contains("key_centres")) parameters["key_centres"] = found(request.key_rows, 1);
  return parameters;
}

bool is_cluster_pair(const Value& value, std::size_t) {
  const auto* list = std::get_if<std::vector<double>>(&value);
  return list != nullptr && list->size() == 2 && is_count((*list)[0]) && is_count((*list)[1]);
}

bool is_row_list(const Value& value, std::size_t d) {
  return is_list(value) && !std::get<std::vector<double>>(value).empty() &&
         std::get<std::vector<double>>(value).size() % d == 0;
}

constexpr Parameter kParameters[] = {
    kLambdaRows,
    kSharedRows,
    kLambdaMap,
    {.name = "clusters",
     .standard = "2, 2",
     .allowed = "two whole numbers >= 1",
     .meaning = "numbers of clusters of queries and of keys",
     .accepts = is_cluster_pair,
     .fallback = [](std::size_t) -> Value {
       return std::vector<double>{2, 2};
     }},
    {.name = "coefficients",
     .standard = "zero_one",
     .allowed = "'zero_one' or 'gaussian'",
     .meaning = "weights of the bases: that of the nearest centres alone, or a Gaussian mixture with a rest",
     .accepts = [](const Value& value,
                   std::size_t) { return is_word(value, "zero_one") || is_word(value, "gaussian"); },
     .fallback = [](std::size_t) -> Value { return "zero_one"; }},
    {.name = "diagonal",
     .standard = "complex",
     .allowed = "'complex' or 'real'",
     .meaning = "matrices of the bases: complex ones make no error at the centres, real ones half the outputs",
     .accepts = [](const Value& value, std::size_t) { return is_word(value, "complex") || is_word(value, "real"); },
     .fallback = [](std::size_t) -> Value { return "complex"; }},
    {.name = "tau",
     .standard = "auto: half the root mean square of |a x + y/a| over the centres of other pairs",
     .allowed = "a finite number > 0, or 'auto'",
     .meaning = "width of Gaussian coefficients",
     .accepts = [](const Value& value, std::size_t) { return is_positive(value) || is_word(value, "auto"); },
     .fallback = [](std::size_t) -> Value { return "auto"; }},
    {.name = "query_centres",
     .standard = "from data: k-means",
     .allowed = "clusters x d numbers, row by row",
     .meaning = "centres of the clusters of queries, in units of the lengthscale",
     .accepts = is_row_list,
     .fallback = nullptr},
    {.name = "key_centres",
     .standard = "from data: k-means",
     .allowed = "clusters x d numbers, row by row",
     .meaning = "centres of the clusters of keys, in units of the lengthscale",
     .accepts = is_row_list,
     .fallback = nullptr},
};

std::size_t complex_bases(const Parameters& parameters, const Clusters& clusters) {
  std::size_t count = 0;
  for (std::size_t pair = 0; pair < clusters.pairs(); ++pair)
    count += is_complex(canonical(diagonal_of(parameters, clusters, pair)));
  return count;
}

/// Bases with complex A have two numbers per row, others one.
std::size_t width(const Parameters& parameters) {
  if (!parameters.contains("query_centres") || !parameters.contains("key_centres")) return 0;
  const Clusters clusters = clusters_of(parameters);
  if (clusters.queries.cols() != clusters.keys.cols()) return 0;
  const std::size_t bases = clusters.pairs() + complex_bases(parameters, clusters);
  if (!has_mixture(parameters)) return bases;
  const std::size_t lambda = count(parameters, "lambda_m") * lambda_width(parameters);
  return lambda * bases + 2 + 2 * lambda * clusters.pairs();
}

}  // namespace

extern const Map hybrid_clustered_map;
const Map hybrid_clustered_map = {
    .entry = {.name = "hybrid_clustered",
              .aliases = "",
              .formula = "sum_ij lambda_ij complex_exponential(A_ij) + (1 - sum lambda_ij) positive_paired",
              .summary = "one complex_exponential for each pair of clusters, exact at their centres",
              .reference = "Choromanski et al. 2022",
              .parameters = kParameters},
    .width = width,
    .symmetric = false,
    .projects_outputs = true,
    .family = Family::exponential,
    .complex = [](const Parameters& parameters) { return complex_bases(parameters, clusters_of(parameters)) > 0; },
    .formula = clustered_error,
    .compose = compose,
    .fit = fit,
};

}  // namespace bochner
