// SPDX-License-Identifier: Apache-2.0
#include "maps/monomial_shift.h"

#include <algorithm>
#include <cmath>

#include "core/parameter.h"

namespace bochner {
namespace {

double least(const FitRequest& request, std::size_t l) {
  return std::min(request.queries.minimum(l), request.keys.minimum(l));
}

/// Distance of the least entry from the mean; 0 for a column that is constant except for the rounding of its mean.
double spread(const FitRequest& request, std::size_t l) {
  const double low = least(request, l);
  const double distance = (request.queries.mean(l) - low) / 2 + (request.keys.mean(l) - low) / 2;
  return distance > 1e-12 * std::abs(low) ? distance : 0.0;
}

}  // namespace

double lengthscale_at(std::span<const double> lengthscale, std::size_t l) {
  if (lengthscale.empty()) return 1.0;
  return lengthscale[lengthscale.size() == 1 ? 0 : l];
}

std::vector<double> given_shift(const Parameters& parameters, std::size_t d, std::span<const double> lengthscale) {
  const Value& value = parameters.find("shift")->second;
  std::vector<double> shift(d);
  for (std::size_t l = 0; l < d; ++l) {
    const double* single = std::get_if<double>(&value);
    shift[l] = (single != nullptr ? *single : numbers(parameters, "shift")[l]) / lengthscale_at(lengthscale, l);
  }
  return shift;
}

std::vector<double> shift_for(const FitRequest& request) {
  const std::size_t d = request.queries.d();
  if (request.spec.parameters.contains("shift"))
    return given_shift(request.spec.parameters, d, request.spec.lengthscale);
  std::vector<double> spreads(d);
  double squares = 0, varying = 0;
  for (std::size_t l = 0; l < d; ++l) {
    spreads[l] = spread(request, l);
    squares += spreads[l] * spreads[l];
    varying += spreads[l] > 0;
  }
  const double common = varying > 0 ? std::sqrt(squares / varying) : 1.0;
  std::vector<double> shift(d);
  for (std::size_t l = 0; l < d; ++l) {
    const double low = least(request, l);
    shift[l] = low - (spreads[l] > 0 ? 1e-3 * spreads[l] + 0x1p-20 * std::abs(low) : common);
  }
  return shift;
}

}  // namespace bochner
