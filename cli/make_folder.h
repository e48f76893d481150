// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace bochner::cli {

/// Makes `folder` unless it exists; its parent must. Throws FileError, also if files cannot be made in it.
void make_folder(const std::filesystem::path& folder);
/// Writes under a temporary name in the same folder, then renames: the named file is the old one or the new one.
/// Throws FileError.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace bochner::cli
