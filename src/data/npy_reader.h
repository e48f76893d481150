// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bochner/table.h"

namespace bochner::data {

/// NPY versions 1 to 3 with 1 or 2 dimensions in C order, <f4 (Matrix<float>), <f8, <i4 or <i8 (Matrix<double>,
/// integers rounded to nearest above 2^53). A vector of n numbers is n x 1. The shape times the size of a number must
/// be the bytes that the file has left, which is checked before anything is allocated. NaN and infinities are read as
/// they are.
Table read_npy(const std::filesystem::path& file);

}  // namespace bochner::data
