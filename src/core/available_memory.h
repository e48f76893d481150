// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner {

/// Bytes of memory that this process can ever have: the machine's, or the limit of its control group if that is less.
std::size_t available_memory();

}  // namespace bochner
