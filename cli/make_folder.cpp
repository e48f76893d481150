// SPDX-License-Identifier: Apache-2.0
#include "text_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
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

void write_text(const std::filesystem::path& file, const std::string& text) {
  const auto temporary = file.parent_path() / fmt::format(".{}.{}", file.filename().string(), getpid());
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary);
    out << text << std::flush;
    if (!out) {
      std::filesystem::remove(temporary, error);
      throw FileError(fmt::format("cannot write '{}': its folder is missing, not writable or full", file.string()));
    }
  }
  std::filesystem::rename(temporary, file, error);
  if (!error) return;
  const std::string reason = error.message();
  std::filesystem::remove(temporary, error);
  throw FileError(fmt::format("cannot write '{}': {}", file.string(), reason));
}

}  // namespace bochner::cli
