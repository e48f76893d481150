// SPDX-License-Identifier: Apache-2.0
#include "make_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "bochner/table.h"

namespace bochner::cli {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) std::filesystem::create_directory(folder, error);
  if (error) throw FileError(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  if (access(folder.c_str(), W_OK) != 0)
    throw FileError(fmt::format("cannot write into the folder '{}': {}", folder.string(),
                                std::error_code(errno, std::system_category()).message()));
}

}  // namespace bochner::cli
