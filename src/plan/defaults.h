// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace bochner::defaults {

/// The maps that advice may name instead of one that does not serve the rows, besides the default map of the kernel:
/// the best bounded features, and the best positive ones with one and with two outputs per direction.
inline constexpr std::array<std::string_view, 3> kAdvisedMaps = {"trigonometric", "optimal_positive",
                                                                 "optimal_positive_paired"};

}  // namespace bochner::defaults
