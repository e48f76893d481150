// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace bochner::defaults {

// The plug-ins that are used where none is named, and the kernels of tasks that have only one. Besides the registries,
// only files called defaults.h and those of hybrids name plug-ins. The default kernel, map and coupling of features
// stand in bochner/spec.h.

/// The couplings for a law of the rows that is isotropic, and for one that is not.
inline constexpr std::string_view kIsotropicCoupling = "orthogonal", kIndependentCoupling = "iid";

/// Attention and the softmax sampler estimate exp(x.y).
inline constexpr std::string_view kSoftmaxKernel = "softmax";
/// Of all positive maps with one output per direction, the one with the least variance (Likhosherstov et al. 2022).
inline constexpr std::string_view kSoftmaxMap = "optimal_positive";

/// Codes are the signs of projections; their kernel is the angle.
inline constexpr std::string_view kCodeKernel = "angular", kCodeMap = "sign";

}  // namespace bochner::defaults
