// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

namespace bochner::defaults {

/// The maps that advice names in place of one that does not serve the rows, beside the default map of the kernel: the
/// best of bounded features, and the best of positive ones with one and with two outputs per direction.
inline constexpr std::array<std::string_view, 3> kAdvisedMaps = {"trigonometric", "optimal_positive",
                                                                 "optimal_positive_paired"};

}  // namespace bochner::defaults
