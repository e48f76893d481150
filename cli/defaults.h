// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bochner::cli {

// The plug-ins that the command line names, because its demo shows them. Everything else comes from the registry.

/// The kernel of attention.
inline const std::string kAttentionKernel = "softmax";
/// The coupling with which others are compared.
inline const std::string kIndependentCoupling = "iid";
/// The kernels on the page of the demo; the pictures of the documentation show all kernels.
inline const std::vector<std::string> kPageKernels = {"gaussian", "softmax"};
/// The maps that most users choose from; the pictures of the documentation show all maps.
inline const std::vector<std::string> kPageMaps = {"trigonometric",   "cosine",           "positive",
                                                   "positive_paired", "optimal_positive", "optimal_positive_paired"};
/// A map whose error depends on |x - y| and one whose error depends on |x + y|.
inline const std::vector<std::string> kDistanceMaps = {"trigonometric", "positive"};
/// Whether the error of a map is a function of |x + y| (positive maps), not of |x - y|.
inline bool grows_with_sum(const std::string& map) { return map.find("positive") != std::string::npos; }

}  // namespace bochner::cli
