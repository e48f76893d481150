// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <variant>
#include <vector>

#include "bochner/export.h"
#include "bochner/half.h"
#include "bochner/matrix.h"

namespace bochner {

/// Numbers of any shape; all axes but the last are stored as rows.
struct Array {
  std::vector<std::size_t> shape;
  std::variant<Matrix<double>, Matrix<float>, Matrix<Float16>, Matrix<bool>> values;
};

/// Reads an .npy file of 1 to 32 dimensions in C order: <f2 <f4 <f8 |b1 unchanged, and <i4 <i8 as the nearest double.
/// Throws FileError (table.h) for everything else, before anything is allocated.
BOCHNER_EXPORT Array read_array(const std::filesystem::path& file);

/// Writes an .npy file as write_table does: the file is the old one or the new one, never a part.
BOCHNER_EXPORT void write_array(const std::filesystem::path& file, const Array& array);

}  // namespace bochner
