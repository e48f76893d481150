// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace bochner::cli {

/// Makes `folder` unless it exists; its parent must exist. Throws FileError, also if files cannot be made in it.
void make_folder(const std::filesystem::path& folder);

}  // namespace bochner::cli
