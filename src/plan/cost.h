// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/resolve.h"

namespace bochner {

/// Predicted time to transform one row, float32 on one core: a product of W with the row, then the nonlinearity. The
/// constants are those of a core of 3 GHz with AVX2 (bench/); ratios between mechanisms hold on other cores too.
double nanoseconds_per_row(const Resolved& chosen);

}  // namespace bochner
