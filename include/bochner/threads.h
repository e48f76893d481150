// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/export.h"

namespace bochner {

/// The number of threads used by every call that works on blocks of rows. Initially the environment variable
/// BOCHNER_NUM_THREADS if set and not empty, else the number of cores this process may use (affinity and control-group
/// quota). Results do not depend on it. Throws std::invalid_argument while the variable is not a whole number from 1 to
/// 1024.
BOCHNER_EXPORT int num_threads();
/// Throws std::invalid_argument unless 1 <= threads <= 1024. Takes effect at the next call that uses threads.
BOCHNER_EXPORT void set_num_threads(int threads);

}  // namespace bochner
