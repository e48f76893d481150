// SPDX-License-Identifier: Apache-2.0
#include "features/hybrids/hybrid_clustered_error.h"

#include <cmath>
#include <complex>
#include <vector>

#include "core/kmeans.h"
#include "core/parameter.h"
#include "features/hybrids/hybrid_clusters.h"
#include "features/hybrids/hybrid_indicator.h"
#include "features/hybrids/hybrid_parts.h"
#include "theory/complex_exponential.h"

namespace bochner {
namespace {

// Numbers of the parts of the closed form.
constexpr std::size_t kRealBase = 0, kRest = 1, kCoefficient = 2;

/// A base prepared for many pairs: with a = r or i r, r > 0, the entries of a x + y/a are r x + y/r or i (r x - y/r).
struct BaseError {
  std::vector<double> size;  ///< r
  std::vector<double> sign;  ///< 1 where a is real, -1 where it is imaginary
  bool complex = false;

  explicit BaseError(const Diagonal& a) : complex(is_complex(canonical(a))) {
    for (const std::complex<double>& entry : a) {
      size.push_back(std::abs(entry));
      sign.push_back(entry.imag() == 0 ? 1 : -1);
    }
  }

  std::optional<double> mse(const ErrorRequest& at) const {
    if (complex && !at.independent) return std::nullopt;
    std::vector<double> entries(size.size());
    for (std::size_t l = 0; l < size.size(); ++l) entries[l] = size[l] * at.x[l] + sign[l] * at.y[l] / size[l];
    if (!complex) return at.part(kRealBase, theory::positive_counterpart(entries, at.pair), at.log_factor);
    Diagonal zc(size.size());
    for (std::size_t l = 0; l < size.size(); ++l)
      zc[l] = sign[l] > 0 ? std::complex<double>(entries[l], 0.0) : std::complex<double>(0.0, entries[l]);
    return theory::mse_complex_exponential(zc, at.pair, at.log_factor, at.blocks.m);
  }

  /// The pair at which the Gaussian kernel is the coefficient.
  theory::PairGeometry coefficient_pair(const ErrorRequest& at, double tau) const {
    theory::PairGeometry mapped{};
    for (std::size_t l = 0; l < size.size(); ++l) {
      const double u = size[l] * at.x[l] / tau, v = -sign[l] / size[l] * at.y[l] / tau;
      mapped.nx += u * u, mapped.ny += v * v, mapped.dot += u * v;
      mapped.v2 += (u + v) * (u + v), mapped.z2 += (u - v) * (u - v);
    }
    return mapped;
  }
};

/// Bases and coefficients are drawn independently: the sum of E lambda_k^2 times the error of base k, plus E (1 - sum
/// lambda)^2 times the error of the rest.
std::optional<double> mixture_mse(const ErrorRequest& at, const std::vector<BaseError>& bases, double tau) {
  if (flag(at.spec.parameters, "shared")) return std::nullopt;
  double sum = 0, left = 1, variance = 0;
  for (const BaseError& base : bases) {
    const theory::PairGeometry mapped = base.coefficient_pair(at, tau);
    const double lambda = std::exp(-mapped.z2 / 2), V = at.part(kCoefficient, mapped, 0.0);
    const std::optional<double> error = base.mse(at);
    if (!error) return std::nullopt;
    sum += (lambda * lambda + V) * *error;
    left -= lambda;
    variance += V;
  }
  return sum + (left * left + variance) * at.part(kRest, at.pair, at.log_factor);
}

}  // namespace

ErrorFormula clustered_error(const Spec& spec) {
  check_centres(spec);
  const Clusters clusters = clusters_of(spec.parameters);
  std::vector<BaseError> bases;
  for (std::size_t pair = 0; pair < clusters.pairs(); ++pair)
    bases.emplace_back(diagonal_of(spec.parameters, clusters, pair));
  const std::vector<Spec> parts = {part_spec(spec, spec.kernel, "positive", spec.m, 0), rest_spec(spec, clusters),
                                   gaussian_coefficient_spec(spec, 1.0, 0)};
  if (has_mixture(spec.parameters))
    return {[bases, tau = tau_of(spec.parameters, clusters)](const ErrorRequest& at) {
              return mixture_mse(at, bases, tau);
            },
            parts};
  return {
      [bases](const ErrorRequest& at) {
        const Clusters centres = clusters_of(at.spec.parameters);
        return bases[nearest_centre(centres.queries, at.x) * centres.keys.rows() + nearest_centre(centres.keys, at.y)]
            .mse(at);
      },
      parts};
}

}  // namespace bochner
