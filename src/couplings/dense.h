// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "simd/projection.h"

namespace bochner {

/// A projection that stores W: 8 m d bytes as drawn, and a packed copy in each precision that is used (made at first
/// use). 2 m d flops per row.
/// `squared_norms`: of the rows in R^D, where W holds only the first d of D columns.
std::unique_ptr<Projection> dense_projection(Matrix<double> W, std::vector<double> squared_norms = {});

}  // namespace bochner
