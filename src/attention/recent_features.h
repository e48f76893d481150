// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "attention/attention_features.h"

namespace bochner {

/// The AttentionFeatures of these options. The last few small ones are kept, because the layers and steps of a model
/// ask for the same ones again, and drawing W takes as long as attention to a hundred rows (0.75 ms for 256 directions
/// of 64 coordinates).
std::shared_ptr<const AttentionFeatures> recent_features(std::size_t dim, const AttentionOptions& options);

}  // namespace bochner
