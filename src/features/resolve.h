// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/resolved.h"

namespace bochner {

/// Throws std::invalid_argument with a sentence for everything that cannot be made.
Resolved resolve(const Spec& spec);

/// The same for closed forms, for which no rows are drawn: any d and m, however much memory there is.
Resolved resolve_undrawn(const Spec& spec);

}  // namespace bochner
