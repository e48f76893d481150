// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bochner/export.h"
#include "bochner/spec.h"

namespace bochner::theory {

/// E[(phi(x).phi(y) - k(x, y))^2] over the draw of W, in closed form: the error known before anything is computed.
/// Stable in double for |x+y|^2, |x-y|^2 (in units of the lengthscale) from 1e-12 to 1e3.
/// Wants canonical names. Throws std::invalid_argument for unknown names, sizes that disagree and numbers not finite.
BOCHNER_EXPORT double mse(const Spec& spec, std::span<const double> x, std::span<const double> y);

}  // namespace bochner::theory
