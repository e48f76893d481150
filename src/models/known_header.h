// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "bochner/preprocessing.h"

namespace bochner {

/// Whether the first line of a file for a model is a header. It is one if it has the names of all inputs. Otherwise it
/// is one if it was one in the model's own file, and FileError is thrown if it looks different. If that is not known,
/// is_header decides.
bool is_header_for(const Preprocessing& model, const std::filesystem::path& file, std::span<const std::string> cells);

}  // namespace bochner
