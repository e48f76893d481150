// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "bochner/preprocessing.h"

namespace bochner {

/// Whether the first line of a file for a model is a header: where it has the names of all inputs it is. Else it is
/// what it was in the file of the model; FileError asks where it looks otherwise. Where that is not known, is_header.
bool is_header_for(const Preprocessing& model, const std::filesystem::path& file, std::span<const std::string> cells);

}  // namespace bochner
