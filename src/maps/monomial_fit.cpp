// SPDX-License-Identifier: Apache-2.0
// What fit finds for the monomial maps: the parameter of least second moment at the means over the data.
#include <algorithm>
#include <cmath>

#include "core/data_statistics.h"
#include "maps/monomial.h"
#include "maps/monomial_shift.h"
#include "theory/monomial_variance.h"

namespace bochner {
namespace {

double rate_for(const FitRequest& request, std::span<const double> shift) {
  const double rate =
      theory::optimal_rate(mean_squared_products(request.queries, request.keys, shift), request.queries.d());
  return std::max(rate, kLeastFitted);
}

double p_for(const FitRequest& request, std::span<const double> shift) {
  const std::vector<double> products = mean_absolute_products(request.queries, request.keys, shift);
  double largest = 0;
  for (const double product : products) largest = std::isfinite(product) ? std::max(largest, product) : HUGE_VAL;
  const double p = std::isfinite(largest) ? theory::optimal_p(products) : 0.0;
  return std::min(p, 1 - kLeastFitted);
}

/// The shift in units of the data.
std::vector<double> stored(std::vector<double> shift, std::span<const double> lengthscale) {
  for (std::size_t l = 0; l < shift.size(); ++l) shift[l] *= lengthscale_at(lengthscale, l);
  return shift;
}

}  // namespace

Parameters fit_poisson(const FitRequest& request) { return {{"rate", rate_for(request, {})}}; }

Parameters fit_geometric(const FitRequest& request) { return {{"p", p_for(request, {})}}; }

Parameters fit_poisson_positive(const FitRequest& request) {
  const std::vector<double> shift = shift_for(request);
  Parameters found{{"shift", stored(shift, request.spec.lengthscale)}};
  if (!request.spec.parameters.contains("rate")) found["rate"] = rate_for(request, shift);
  return found;
}

Parameters fit_geometric_positive(const FitRequest& request) {
  const std::vector<double> shift = shift_for(request);
  Parameters found{{"shift", stored(shift, request.spec.lengthscale)}};
  if (!request.spec.parameters.contains("p")) found["p"] = p_for(request, shift);
  return found;
}

}  // namespace bochner
