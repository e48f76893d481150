// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "couplings/coupling.h"

namespace bochner {

/// W of points of the unit cube: entry (i, j) is the law's quantile of (digits(i, j) + 1/2) 2^-52, so that a point that
/// is uniform on the 2^52 numbers of each coordinate gives a row of the product law. Stored: O(m d).
std::unique_ptr<Projection> project_on_cube_points(
    const DrawRequest& request, const std::function<std::uint64_t(std::size_t i, std::size_t j)>& digits);

}  // namespace bochner
