// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bochner/compose.h"
#include "features/composed.h"
#include "features/lookup.h"
#include "support/given_projection.h"

namespace bochner::testing {

/// A map of the registry on an explicit W.
inline FeaturesPart given_part(const std::string& kernel, const std::string& map, const Matrix<double>& W,
                               Parameters parameters = {}, double lengthscale = 1.0) {
  const Map& line = find_map(map);
  Spec spec{.d = W.cols(),
            .kernel = kernel,
            .map = map,
            .coupling = "iid",
            .m = W.rows(),
            .lengthscale = {lengthscale},
            .parameters = std::move(parameters)};
  auto projection = std::make_unique<GivenProjection>(W);
  auto made = line.make({find_kernel(kernel).norm_exponent(), W.cols(), W.rows(), 0, spec.parameters, *projection});
  return compose(std::move(spec), line, std::move(made), std::move(projection));
}

}  // namespace bochner::testing
