// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "bochner/features.h"
#include "features/resolve.h"

namespace bochner {

/// Features that lack parameters which `fit` finds from data; after fit they are the features of the completed spec.
std::unique_ptr<Features> unfitted(Resolved chosen);

}  // namespace bochner
