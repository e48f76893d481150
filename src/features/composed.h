// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bochner/features.h"
#include "maps/feature_map.h"
#include "simd/projection.h"

namespace bochner {

/// phi(x) = f(W x / lengthscale): a map on a projection. `spec` has canonical names and has been checked.
std::unique_ptr<Features> compose(Spec spec, const Map& line, std::unique_ptr<const FeatureMap> map,
                                  std::unique_ptr<const Projection> projection);

}  // namespace bochner
