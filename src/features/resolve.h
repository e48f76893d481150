// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/resolved.h"

namespace bochner {

/// Throws std::invalid_argument with a sentence for everything that cannot be made.
Resolved resolve(const Spec& spec);

/// The same for closed forms, which draw no rows: any d and m, whatever memory holds.
Resolved resolve_undrawn(const Spec& spec);

}  // namespace bochner
