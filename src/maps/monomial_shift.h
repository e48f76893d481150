// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/parameters.h"
#include "maps/feature_map.h"

namespace bochner {

/// sigma of coordinate l; 1 if there is no lengthscale.
double lengthscale_at(std::span<const double> lengthscale, std::size_t l);

/// The parameter `shift` for d coordinates in units of the lengthscale.
std::vector<double> given_shift(const Parameters& parameters, std::size_t d, std::span<const double> lengthscale);

/// The shift in units of the lengthscale: the given one, or c_l = a_l - eps_l, a_l the least entry of column l in both
/// data sets. With s_l the distance of a_l from the mean of the column (the mean of both sets),
/// eps_l = s_l / 1000 + 2^-20 |a_l|: no entry falls below c_l by rounding, not even in float. For a constant column
/// eps_l is the root mean square of the s_l of the others, or 1 if there are none: a shifted entry far below the root
/// of the mean exponent would increase the variance for nothing, whereas this way constant data are estimated exactly.
std::vector<double> shift_for(const FitRequest& request);

}  // namespace bochner
