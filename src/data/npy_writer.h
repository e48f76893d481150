// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "bochner/table.h"

namespace bochner::data {

/// Writes NPY version 1.0, two dimensions, C order, <f4 or <f8 as in the table, for numpy.load. Names are not kept.
void write_npy(const std::filesystem::path& file, const Table& table);

}  // namespace bochner::data
