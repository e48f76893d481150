// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/parameters.h"
#include "maps/feature_map.h"

namespace bochner {

/// sigma of coordinate l; 1 where there is none.
double lengthscale_at(std::span<const double> lengthscale, std::size_t l);

/// The parameter `shift` for d coordinates in units of the lengthscale.
std::vector<double> given_shift(const Parameters& parameters, std::size_t d, std::span<const double> lengthscale);

/// The shift in units of the lengthscale: the given one, or c_l = a_l - eps_l, a_l the
/// least entry of column l in both data sets. With s_l the distance of a_l from the mean of the column (of the
/// means of both sets), eps_l = s_l / 1000 + 2^-20 |a_l|: no entry falls below c_l by rounding, in float either. For a
/// constant column eps_l is the root mean square of the s_l of the others, or 1 if there are none: an entry far below
/// the root of the mean exponent would cost variance for nothing, while constant data are then estimated exactly.
std::vector<double> shift_for(const FitRequest& request);

}  // namespace bochner
