// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bochner::cli {

// The plug-ins that the command line names: what its demo shows. Everything else asks the registry.

/// The kernel of attention.
inline const std::string kAttentionKernel = "softmax";
/// What other couplings are compared with.
inline const std::string kIndependentCoupling = "iid";
/// The kernels of the page of the demo; the pictures of the documentation show all.
inline const std::vector<std::string> kPageKernels = {"gaussian", "softmax"};
/// What most users choose from; the pictures of the documentation show all.
inline const std::vector<std::string> kPageMaps = {"trigonometric",   "cosine",           "positive",
                                                   "positive_paired", "optimal_positive", "optimal_positive_paired"};
/// A map whose error depends on |x - y| and one whose error depends on |x + y|.
inline const std::vector<std::string> kDistanceMaps = {"trigonometric", "positive"};
/// Whether the error of a map is a function of |x + y| (positive maps), not of |x - y|.
inline bool grows_with_sum(const std::string& map) { return map.find("positive") != std::string::npos; }

}  // namespace bochner::cli
