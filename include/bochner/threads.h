// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/export.h"

namespace bochner {

/// Threads used by every call that works on blocks of rows. Initially BOCHNER_NUM_THREADS if set to a number >= 1, else
/// the number of cores this process may use. Results do not depend on it.
BOCHNER_EXPORT int num_threads();
/// Throws std::invalid_argument unless 1 <= threads <= 1024.
BOCHNER_EXPORT void set_num_threads(int threads);

}  // namespace bochner
