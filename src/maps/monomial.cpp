// SPDX-License-Identifier: Apache-2.0
#include "maps/monomial.h"

#include <cmath>
#include <utility>

#include "core/log_gamma.h"
#include "core/parameter.h"
#include "maps/monomial_map.h"
#include "maps/monomial_shift.h"
#include "theory/monomial_variance.h"

namespace bochner {
namespace {

double value_or(const Parameters& parameters, std::string_view name, double otherwise) {
  return parameters.contains(name) ? number(parameters, name) : otherwise;
}

/// `log_weight(k)`: the logarithm of (k! P(k))^{-1/2} s^{-k}, by which a factor (s x_l)^k is multiplied.
template <class LogWeight>
std::unique_ptr<FeatureMap> make_monomial(const MapRequest& request, double scale, const LogWeight& log_weight) {
  const Matrix<double> exponents = request.projection.directions();
  std::vector<double> offsets(request.m);
  for (std::size_t j = 0; j < request.m; ++j) {
    // There may be many equal terms: in double their rounding errors would all have one sign.
    long double sum = -0.5L * std::log(static_cast<long double>(request.m));
    for (const double k : exponents.view().row(j)) sum += log_weight(k);
    offsets[j] = static_cast<double>(sum);
  }
  std::optional<Shift> shift;
  if (request.parameters.contains("shift"))
    shift = Shift{given_shift(request.parameters, exponents.cols(), request.lengthscale),
                  {request.lengthscale.begin(), request.lengthscale.end()}};
  return std::make_unique<MonomialMap>(simd::Monomials(exponents.view(), std::move(offsets), scale),
                                       request.norm_exponent, std::move(shift));
}

struct Pair {
  std::vector<double> x, y;
};

/// x - c and y - c.
Pair shifted_pair(const ErrorRequest& at) {
  Pair pair{{at.x.begin(), at.x.end()}, {at.y.begin(), at.y.end()}};
  if (!at.spec.parameters.contains("shift")) return pair;
  const std::vector<double> shift = given_shift(at.spec.parameters, at.x.size(), at.spec.lengthscale);
  for (std::size_t l = 0; l < shift.size(); ++l) {
    pair.x[l] -= shift[l];
    pair.y[l] -= shift[l];
  }
  return pair;
}

template <double (*kExcess)(double, std::span<const double>, std::span<const double>)>
std::optional<double> monomial_mse(const ErrorRequest& at, double parameter) {
  if (!at.independent) return std::nullopt;
  const Pair pair = shifted_pair(at);
  return theory::mse_monomial(kExcess(parameter, pair.x, pair.y), pair.x, pair.y, at.log_factor, at.blocks.m);
}

}  // namespace

Law poisson_rows(const Parameters& parameters) { return poisson_law(value_or(parameters, "rate", 1.0)); }
Law geometric_rows(const Parameters& parameters) { return geometric_law(value_or(parameters, "p", 0.5)); }

std::unique_ptr<FeatureMap> make_poisson(const MapRequest& request) {
  const double rate = number(request.parameters, "rate");
  return make_monomial(request, 1 / std::sqrt(rate), [rate](double) { return rate / 2; });
}

std::unique_ptr<FeatureMap> make_geometric(const MapRequest& request) {
  const double p = number(request.parameters, "p");
  const double log_p = std::log(p);
  return make_monomial(request, 1 / std::sqrt(1 - p),
                       [log_p](double k) { return k == 0 ? -log_p / 2 : -0.5 * (log_p + log_gamma(k + 1)); });
}

std::optional<double> mse_poisson(const ErrorRequest& at) {
  return monomial_mse<theory::excess_poisson>(at, number(at.spec.parameters, "rate"));
}

std::optional<double> mse_geometric(const ErrorRequest& at) {
  return monomial_mse<theory::excess_geometric>(at, number(at.spec.parameters, "p"));
}

}  // namespace bochner
