// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "maps/feature_map.h"

namespace bochner {

/// The closed form of hybrid_clustered: errors of complex_exponential, weighted as in theory/hybrid.h.
ErrorFormula clustered_error(const Spec& spec);

}  // namespace bochner
